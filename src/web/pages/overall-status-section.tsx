/** The headline of the status page: one sentence on the overall status. */
import type { OverallStatus } from '../../health/overall-status.ts';
import { Timestamp } from './format.tsx';

const SIGNS = { good: '✓', warn: '!', bad: '✕', new: '…' } as const;

export function OverallStatusSection({ status: { level, text }, at }: { status: OverallStatus; at: string }) {
  return (
    <section id="overall-status" class={`overall-status ${level}`} data-part>
      <h1>
        <span class="sign" aria-hidden="true">
          {SIGNS[level]}
        </span>{' '}
        {text}
      </h1>
      <p class="soft">
        As of <Timestamp at={at} />
      </p>
    </section>
  );
}
