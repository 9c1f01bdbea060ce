/** What needs attention, with the commands to type. */
import type { Advice } from '../../health/problems.ts';
import type { Standing } from '../../health/report.ts';
import { formatCount } from '../../lib/format.ts';

/** Of the others only the number is shown, and the command that lists all. */
const MAX_SHOWN = 30;

export function ProblemsSection({ needs, all }: Pick<Standing, 'needs'> & { all: string }) {
  const hidden = needs.length - MAX_SHOWN;
  return (
    <section id="problems" class="card" data-part aria-labelledby="problems-heading">
      <h2 id="problems-heading">Needs attention</h2>
      {needs.length === 0 && <p class="soft">Nothing.</p>}
      <ul class="problems">
        {needs.slice(0, MAX_SHOWN).map(({ words, details, advice }) => (
          <li key={words}>
            <p>
              <bdi>{words}</bdi>
            </p>
            {details.map((detail) => (
              <p class="detail" key={detail}>
                <bdi>{detail}</bdi>
              </p>
            ))}
            {advice.map((each) => (
              <AdviceLine key={each.command ?? each.words} of={each} />
            ))}
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p class="soft">
          and {formatCount(hidden)} more: <code>{all}</code>
        </p>
      )}
    </section>
  );
}

function AdviceLine({ of: { words, command } }: { of: Advice }) {
  return (
    <p class="detail">
      {words !== null && `${words}${command === null ? '' : ': '}`}
      {command !== null && <code>{command}</code>}
    </p>
  );
}
