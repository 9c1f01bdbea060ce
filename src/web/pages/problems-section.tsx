/** What needs attention, with the commands to type. */
import type { Advice } from '../../health/problems.ts';
import type { Standing } from '../../health/report.ts';
import { formatCount } from '../../lib/format.ts';

/** So many are shown; of the others is said how many they are, and what lists them all. */
const NEEDS = 30;

export function ProblemsSection({ needs, all }: Pick<Standing, 'needs'> & { all: string }) {
  const left = needs.length - NEEDS;
  return (
    <section id="needs" class="card" data-part aria-labelledby="needs-heading">
      <h2 id="needs-heading">Needs attention</h2>
      {needs.length === 0 && <p class="soft">Nothing.</p>}
      <ul class="needs">
        {needs.slice(0, NEEDS).map(({ words, details, advice }) => (
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
      {left > 0 && (
        <p class="soft">
          and {formatCount(left)} more: <code>{all}</code>
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
