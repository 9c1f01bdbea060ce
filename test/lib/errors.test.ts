import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  InterruptedError,
  LockedError,
  errorMessage,
  VodhouseError,
  WarehouseError,
} from '../../src/lib/errors.ts';

describe('an error of vodhouse', () => {
  it('has the name of its class, a message, an optional hint, and its cause', () => {
    const cause = new Error('EACCES');
    for (const Each of [ConfigError, WarehouseError, LockedError, InterruptedError]) {
      const error = new Each('it broke', { hint: 'mend it', cause });
      expect(error).toBeInstanceOf(VodhouseError);
      expect(error).toMatchObject({ name: Each.name, message: 'it broke', hint: 'mend it', cause });
      expect(new Each('it broke').hint).toBeUndefined();
    }
  });
});

describe('the message of a thrown value', () => {
  it('is available for every type', () => {
    expect(errorMessage(new Error('it broke'))).toBe('it broke');
    expect(errorMessage('text')).toBe('text');
    expect(errorMessage(undefined)).toBe('undefined');
    expect(errorMessage({ code: 7 })).toBe('[object Object]');
  });
});
