/**
 * Values that columns of the live file may have. They are in a file of their own so that a process that only
 * publishes does not load Drizzle for them.
 */

export const STATUSES = ['running', 'succeeded', 'partial', 'failed', 'parked', 'interrupted'] as const;
/** The state of a run or a walk. */
export type Status = (typeof STATUSES)[number];

export const TRIGGERS = ['schedule', 'catch_up', 'manual'] as const;
/** Why a run was started. */
export type Trigger = (typeof TRIGGERS)[number];

export const MODES = ['full', 'quick'] as const;
export type Mode = (typeof MODES)[number];

/**
 * The changes that a walk counts: `added` with those of a first import, `restored` with those that returned
 * with their package.
 */
export const WALK_CHANGES = ['added', 'edited', 'removed', 'restored'] as const;
export type WalkChange = (typeof WALK_CHANGES)[number];

export const CHANGES = ['imported', ...WALK_CHANGES, 'retired', 'returned'] as const;
/**
 * The change that led to a state of a video. `imported`: first seen before the first full walk of its package
 * ended. `retired`, `returned`: it left the config with its package, and came back with it.
 */
export type Change = (typeof CHANGES)[number];
