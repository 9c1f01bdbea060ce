/** What needs attention: how severe, since when, where, and the commands to type. Notes are apart. */
import type { Item } from '../../health/items.ts';
import type { Advice } from '../../health/advice.ts';
import { formatCount } from '../../lib/format.ts';
import { Command, Message, RelativeTime, Timestamp } from './format.tsx';
import { Section } from './section.tsx';

/** Items that are shown; of more than these only the number is shown, and the command that lists all. */
const MOST = 30;

interface AttentionProps {
  items: readonly Item[];
  /** The command that lists all. */
  all: string;
  now: number;
  /** The items are those of the package whose page this is: they have no links to it. */
  isOfPackage?: boolean;
}

export function AttentionSection({ items: given, all, now, isOfPackage = false }: AttentionProps) {
  const shown = given.slice(0, MOST).map((item) => ({
    isNote: item.severity === 'note',
    element: <ItemRow key={getId(item)} item={item} now={now} place={isOfPackage ? null : item.place} />,
  }));
  const [items, notes] = [shown.filter(({ isNote }) => !isNote), shown.filter(({ isNote }) => isNote)];
  return (
    <Section
      name="problems"
      heading="Needs attention"
      part
      empty={given.length === 0 ? 'Nothing.' : undefined}
    >
      {items.length > 0 && <ul class="problems">{items.map(({ element }) => element)}</ul>}
      {notes.length > 0 && <h3>Notes</h3>}
      {notes.length > 0 && <ul class="problems">{notes.map(({ element }) => element)}</ul>}
      {given.length > MOST && (
        <p class="soft">
          and {formatCount(given.length - MOST)} more: <Command text={all} />
        </p>
      )}
    </Section>
  );
}

/** The id of the element of an item, unique on the page. */
function getId({ kind, scope }: Item): string {
  const parts = [scope.account, scope.packageId, scope.part].map((each) => encodeURIComponent(each ?? ''));
  return `about-${kind}-${parts.join('-')}`;
}

const LABELS = {
  page: ['bad', '✕ failing'],
  ticket: ['warn', '! attention'],
  note: ['note', 'i note'],
} as const;

type RowProps = { item: Item; now: number; place: Item['place'] };

function ItemRow({ item, now, place }: RowProps) {
  const { message, advice, details } = item;
  return (
    <li>
      <p>
        <Message text={message} />
      </p>
      <About item={item} now={now} place={place} />
      {advice && <AdviceLine advice={advice} />}
      {details.length > 0 && (
        <details id={getId(item)}>
          <summary>Details</summary>
          {details.map((text) => (
            <p class="detail" key={text}>
              <Message text={text} />
            </p>
          ))}
        </details>
      )}
    </li>
  );
}

/** How severe it is, what it affects, since when, the next try, and a link. */
function About({ item: { severity, affects, since, nextTry }, now, place }: RowProps) {
  const [level, label] = LABELS[severity];
  return (
    <div class="about">
      <span class={`state ${level}`}>{label}</span> {affects !== null && <span>affects {affects}</span>}{' '}
      {since !== null && (
        <span>
          began <RelativeTime at={since} now={now} />
        </span>
      )}{' '}
      {nextTry !== null && (
        <span>
          next try <Timestamp at={nextTry} />
        </span>
      )}{' '}
      {place && <a href={place.path}>{place.text}</a>}
    </div>
  );
}

/** The one thing to do, with the command to copy. */
export function AdviceLine({ advice: { text, command } }: { advice: Advice }) {
  return (
    <p class="detail">
      {text !== null && <Message text={command === null ? text : `${text}: `} />}
      {command !== null && <Command text={command} />}
    </p>
  );
}
