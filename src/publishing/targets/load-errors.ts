/** Why a load stopped before it changed anything; each comment begins with what follows. */

/** Claim again: another worker has the account now. */
export class LostLeaseError extends Error {}

/** Let a person decide: the target has states that this warehouse never had. */
export class CopyError extends Error {}

/** Let it be fetched first: the target has rows of others, and this warehouse none to put in their place. */
export class NotFetchedError extends Error {
  constructor(account: string) {
    super(
      `account ${account} is claimed for this worker, which has not fetched it yet: the rows in the target stay`,
    );
  }
}

/** Open it again: a newer published file replaced the one that was to be loaded. */
export class StaleSourceError extends Error {}

/** Load everything again: the target has other rows than those that earlier loads sent. */
export class RowsDifferError extends Error {}
