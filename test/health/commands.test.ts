import { describe, expect, it } from 'vitest';
import { acceptRemovalsCommands, packageNames } from '../../src/health/commands.ts';
import { commandsFor } from '../../src/lib/shell-command.ts';

function createAccount(name: string, ...ids: number[]) {
  return { name, packages: ids.map((id) => ({ id, name: null })) };
}

const ACCOUNTS = [createAccount('main', 101, 102), createAccount('second', 101, 103), createAccount('third')];

describe('the name of a package in a command', () => {
  it.each([
    ['main', 102, '102'],
    ['second', 103, '103'],
    ['main', 101, 'main/101'],
    ['second', 101, 'second/101'],
    ['third', 102, 'third/102'], // removed from the config: the id alone would be that of main
    ['gone', 7, '7'],
  ])('has the account %s before %i only where another account has that id: %s', (...given) => {
    const [account, id, name] = given;
    expect(packageNames(ACCOUNTS)({ account, package_id: id })).toBe(name);
  });
});

describe('the command that accepts removals', () => {
  const commandFor = acceptRemovalsCommands(commandsFor('vodhouse.yaml'), ACCOUNTS);

  it('names the account where another one has a package with the same id', () => {
    expect(commandFor({ account: 'second', package_id: 101, held_by: 20 })).toBe(
      'vodhouse sync --package second/101 --accept-removals walk:20',
    );
  });

  it('has the id alone where no other account has it', () => {
    expect(commandFor({ account: 'second', package_id: 103, held_by: 20 })).toBe(
      'vodhouse sync --package 103 --accept-removals walk:20',
    );
  });
});
