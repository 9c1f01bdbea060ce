/** The rules that hadolint and others have for a Dockerfile, and what the image promises. */
import { existsSync, readFileSync } from 'node:fs';
import dockerignore from '@balena/dockerignore';
import { describe, expect, it } from 'vitest';
import {
  Copy,
  listParameters,
  readCopy,
  readExecForm,
  readStages,
  type Stage,
} from '../support/dockerfile.ts';

const stages = readStages();
const [build, image] = stages as [Stage, Stage];
const copies = (stage: Stage) => stage.instructions.filter((each) => each instanceof Copy).map(readCopy);

describe('the Dockerfile', () => {
  it('builds in one stage, and begins the image anew from the same tagged image', () => {
    expect(stages.map(({ name }) => name)).toEqual(['build', null]);
    for (const { image: from } of stages) expect(from).toBe('node:24-bookworm-slim');
    expect(copies(image)).toEqual([{ from: 'build', sources: ['/opt/vodhouse'], to: '/opt/vodhouse' }]);
  });

  it('copies only files that exist and that .dockerignore lets pass', () => {
    const ignore = dockerignore.default().add(readFileSync('.dockerignore', 'utf8'));
    const sources = copies(build).flatMap((each) => each.sources);
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) expect([source, existsSync(source)]).toEqual([source, true]);
    expect(sources.filter((source) => ignore.ignores(source))).toEqual([]);
    const kept = ['drizzle/meta/_journal.json', 'src/cli/main.ts', 'assets/page.css', 'bin/vodhouse.js'];
    expect(
      ignore.filter([...kept, '.env', 'secrets/vodhouse_key', 'data/vodhouse.db', 'node_modules/pg']),
    ).toEqual(kept);
  });

  it('has the files that the command needs, all that npm packs of a checkout', () => {
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    const sources = copies(build).flatMap((each) => each.sources);
    const needed = files.map((each) => each.split('/')[0] ?? '');
    const others = ['deploy', 'dist', 'docs', 'npm-shrinkwrap.json']; // made in the image, or not needed there
    expect(needed.filter((each) => !sources.includes(each) && !others.includes(each))).toEqual([]);
  });

  it('leaves no lists of packages, installs no recommended ones, and never upgrades or uses sudo', () => {
    const runs = stages.flatMap((stage) => listParameters(stage, 'RUN'));
    for (const run of runs) {
      expect(run).not.toMatch(/\bsudo\b|dist-upgrade|apt-get upgrade|\bapt install|\bcd /);
      if (!run.includes('apt-get')) continue;
      expect(run).toMatch(
        /^apt-get update && apt-get install -y --no-install-recommends .*&& rm -rf \/var\/lib\/apt\/lists\/\*$/,
      );
    }
    expect(listParameters(image, 'RUN').join()).not.toMatch(/apt-get|npm (ci|install)|g\+\+|make/);
    expect(stages.flatMap(({ instructions }) => instructions.map((each) => each.getKeyword()))).not.toContain(
      'ADD',
    );
  });

  it('runs as a user by number, and is told its signal, its volume and its port', () => {
    expect(listParameters(image, 'USER')).toEqual(['1000:1000']);
    expect(listParameters(image, 'STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(listParameters(image, 'VOLUME')).toEqual(['/var/lib/vodhouse']);
    expect(listParameters(image, 'EXPOSE')).toEqual(['8320']);
    for (const folder of listParameters(image, 'WORKDIR')) expect(folder).toMatch(/^\//);
  });

  it('starts without a shell, so that SIGTERM reaches the worker, and asks /healthz', () => {
    for (const keyword of ['ENTRYPOINT', 'CMD', 'HEALTHCHECK']) {
      const [parameters = '', ...more] = listParameters(image, keyword);
      expect([keyword, readExecForm(parameters) !== null, more]).toEqual([keyword, true, []]);
    }
    expect(listParameters(image, 'HEALTHCHECK')[0]).toContain('http://127.0.0.1:8320/healthz');
  });

  it('holds no secret', () => {
    expect(readFileSync('Dockerfile', 'utf8')).not.toMatch(/^(ARG|ENV) .*(KEY|TOKEN|PASSWORD|SECRET)/im);
  });
});
