import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MESSAGE_STATES } from '../../src/alerts/incident-rows.ts';
import { buildPost, type Post } from '../../src/alerts/messages.ts';
import { findProblems } from '../../src/health/catalogue.ts';
import type { HealthFacts } from '../../src/health/facts.ts';
import { formatAdvice } from '../../src/health/advice.ts';
import { INCIDENT_EVENTS } from '../../src/health/incident-events.ts';
import { EVERY_PROBLEM, staleStream } from '../support/fixtures/every-problem.ts';
import { healthFacts } from '../support/fixtures/health-facts.ts';
import { createServerConfig, createTestConfig } from '../support/fixtures/test-config.ts';

const PAGE = readFileSync('docs/alerts.md', 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => JSON.parse(text) as Post,
);

/** The message about the problems in these facts. */
function createPost(facts: Partial<HealthFacts>): Post {
  const incidents = findProblems(healthFacts(facts)).map((problem, index) => ({
    id: index + 1,
    kind: problem.of.kind,
    ...problem.scope,
    since: problem.since ?? '',
    text: problem.message,
    advice: problem.advice && formatAdvice(problem.advice),
    details: JSON.stringify(problem.fields),
    state: 'begun' as const,
    attempts: 0,
  }));
  const config = createTestConfig({ url: 'http://127.0.0.1:1', packages: [101] }, 'live.db');
  const server = createServerConfig({ url: 'https://vodhouse.example.test' });
  return buildPost(incidents, { ...config, server });
}

describe('docs/alerts.md', () => {
  it('has a message, and one of many packages, as they are really posted', () => {
    const many = createPost({ streams: Array.from({ length: 240 }, (_, index) => staleStream(101 + index)) });
    const packages = many.details['packages'] as unknown[];
    const listed = { ...many, details: { ...many.details, packages: packages.slice(0, 1) } };
    expect(EXAMPLES).toEqual([createPost(EVERY_PROBLEM['held_back'] ?? {}), listed]);
  });

  it('names each key, state and event', () => {
    const names = [...Object.keys(EXAMPLES[0] ?? {}), ...MESSAGE_STATES, ...INCIDENT_EVENTS];
    expect(names.filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([]);
  });

  it.each(Object.entries(EVERY_PROBLEM))('has all details of a problem that %s', (_, facts) => {
    const { event, details } = createPost(facts);
    const row = PAGE.split('\n').find(
      (line) => line.startsWith(`| \`${event}\``) && !line.includes('sentence'),
    );
    const inside = Object.values(details).flatMap((value) => {
      const [first] = Array.isArray(value) ? (value as unknown[]) : [];
      return typeof first === 'object' && first !== null ? Object.keys(first) : [];
    });
    const names = [...Object.keys(details), ...inside];
    expect(names.filter((name) => !row?.includes(`\`${name}\``))).toEqual([]);
  });
});
