/** What needs attention, with the commands to type. */
import type { Problem } from '../../health/problem-kinds.ts';
import { formatCount } from '../../lib/format.ts';
import { Section } from './section.tsx';

/** Of the others only the number is shown, and the command that lists all. */
const MAX_SHOWN = 30;

export function ProblemsSection({ problems, all }: { problems: readonly Problem[]; all: string }) {
  const hidden = problems.length - MAX_SHOWN;
  return (
    <Section
      name="problems"
      heading="Needs attention"
      part
      empty={problems.length === 0 ? 'Nothing.' : undefined}
    >
      <ul class="problems">
        {problems.slice(0, MAX_SHOWN).map(({ message, details, advice }) => (
          <li key={message}>
            <p>
              <bdi>{message}</bdi>
            </p>
            {details.map((detail) => (
              <p class="detail" key={detail}>
                <bdi>{detail}</bdi>
              </p>
            ))}
            {advice.map(({ text, command }) => (
              <p class="detail" key={command ?? text}>
                {text !== null && `${text}${command === null ? '' : ': '}`}
                {command !== null && (
                  <code>
                    <bdi>{command}</bdi>
                  </code>
                )}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p class="soft">
          and {formatCount(hidden)} more:{' '}
          <code>
            <bdi>{all}</bdi>
          </code>
        </p>
      )}
    </Section>
  );
}
