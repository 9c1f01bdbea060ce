import { expect, it } from 'vitest';
import { takeNotifySocket } from '../../src/config/notify-socket.ts';

const WATCHED = {
  NOTIFY_SOCKET: '/run/systemd/notify',
  WATCHDOG_USEC: '300000000',
  WATCHDOG_PID: '77',
  PATH: '/usr/bin',
};

it('takes what systemd says out of the environment', () => {
  const env = { ...WATCHED, HOME: '/root' };
  expect(takeNotifySocket(env, 77)).toEqual({
    environment: { NOTIFY_SOCKET: '/run/systemd/notify', PATH: '/usr/bin' },
    watchdogMs: 300_000,
  });
  expect(env).toEqual({ PATH: '/usr/bin', HOME: '/root' });
});

it('has no watchdog where none is set, or where it is meant for another process', () => {
  expect(takeNotifySocket({ ...WATCHED }, 78)?.watchdogMs).toBeNull();
  expect(takeNotifySocket({ NOTIFY_SOCKET: '@x' }, 77)?.watchdogMs).toBeNull();
  expect(takeNotifySocket({ NOTIFY_SOCKET: '@x', WATCHDOG_USEC: '0' }, 77)?.watchdogMs).toBeNull();
});

it('is null without a service manager', () => {
  expect(takeNotifySocket({ PATH: '/usr/bin' }, 77)).toBeNull();
  expect(takeNotifySocket({ ...WATCHED, NOTIFY_SOCKET: '' }, 77)).toBeNull();
});
