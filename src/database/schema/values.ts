/** Values that columns of the live file may have. Without Drizzle, which a process that publishes would load for them. */

export const STATUSES = ['running', 'succeeded', 'partial', 'failed', 'parked', 'interrupted'] as const;
/** The state of a run or a walk. */
export type Status = (typeof STATUSES)[number];

export const TRIGGERS = ['schedule', 'catch_up', 'manual'] as const;
/** Why a run was started. */
export type Trigger = (typeof TRIGGERS)[number];

export const MODES = ['full', 'quick'] as const;
export type Mode = (typeof MODES)[number];

export const CHANGES = ['added', 'edited', 'removed', 'restored'] as const;
/** How a state of a video came about. */
export type Change = (typeof CHANGES)[number];
