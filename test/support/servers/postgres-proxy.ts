/** A proxy in front of PostgreSQL that knows the steps of the protocol, and stops a client or a connection at any of them. */
import { connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from './loopback.ts';

/** A statement, a chunk of a COPY, a login or a goodbye. */
export interface ProtocolStep {
  /** The number of its connection, from 1. */
  connection: number;
  name: string;
}

/** What of the step at which a connection ends still reaches the server. */
export type Passed = 'nothing' | 'half' | 'all';

/** Ends something at a step. */
export interface Trap {
  /** The number of the step, from 1; over all connections since `arm`. */
  step: number;
  passed: Passed;
  /** Called at that step. By default only the connection is cut, on both sides. */
  onReached?: () => void;
}

export type PostgresProxy = Awaited<ReturnType<typeof startPostgresProxy>>;

/** A proxy without TLS until the end of the test. */
export async function startPostgresProxy(serverPort: number) {
  let trap: Trap | null = null;
  let steps: ProtocolStep[] = [];
  let connections = 0;
  const server = createServer((client) => {
    const upstream = connect(serverPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined).on('close', () => [client, upstream].map((each) => each.destroy()));
    }
    upstream.pipe(client);
    const connection = ++connections;
    const read = createMessageReader();
    let held = Buffer.alloc(0);
    client.on('data', (data) => {
      for (const { message, name } of read(data)) {
        held = Buffer.concat([held, message]);
        if (name === null) continue; // a part of a statement
        steps.push({ connection, name });
        const isReached = trap?.step === steps.length;
        if (trap && isReached) {
          const { passed, onReached } = trap;
          const length = { nothing: 0, half: held.length >> 1, all: held.length }[passed];
          upstream.write(held.subarray(0, length), () => upstream.end());
          client.removeAllListeners('data');
          if (onReached) onReached();
          else client.destroy();
          return;
        }
        upstream.write(held);
        held = Buffer.alloc(0);
      }
    });
  });
  const { port, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return {
    port,
    /** Counts from 1 again, and stops at a step; null: at none. */
    arm: (next: Trap | null) => {
      trap = next;
      steps = [];
      connections = 0;
    },
    /** The steps since `arm`. */
    steps: (): readonly ProtocolStep[] => steps,
  };
}

/** The names of messages at which the server acts; the others prepare one of them. */
const STEPS: Readonly<Record<string, string>> = {
  Q: 'query',
  S: 'statement',
  d: 'copy data',
  c: 'copy done',
  f: 'copy fail',
  p: 'password',
  X: 'goodbye',
};

/** Splits what a client sends into messages. The first one has no type. */
function createMessageReader() {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  return function* (data: Buffer): Generator<{ message: Buffer; name: string | null }> {
    rest = Buffer.concat([rest, data]);
    for (;;) {
      const start = isFirst ? 0 : 1;
      if (rest.length < start + 4) return;
      const length = start + rest.readUInt32BE(start);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      yield { message, name: isFirst ? 'login' : describe(message) };
      isFirst = false;
    }
  };
}

function describe(message: Buffer): string | null {
  const type = String.fromCharCode(message[0] ?? 0);
  if (type === 'Q') return message.subarray(5, -1).toString().split(/\s/, 2).join(' ');
  return STEPS[type] ?? null;
}
