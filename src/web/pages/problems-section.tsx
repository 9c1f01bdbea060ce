/** What needs attention: how severe, since when, where, and the commands to type. Notes are apart. */
import { formatCount } from '../../lib/format.ts';
import type { AttentionItem } from '../views/attention.ts';
import { Message, RelativeTime, Timestamp } from './format.tsx';
import { Section } from './section.tsx';

/** Of the others only the number is shown, and the command that lists all. */
const MAX_ITEMS = 30;
const MAX_NOTES = 10;

interface ProblemsProps {
  items: readonly AttentionItem[];
  /** The command that lists all. */
  all: string;
  now: number;
}

export function ProblemsSection({ items: given, all, now }: ProblemsProps) {
  const notes = given.filter(({ severity }) => severity === 'note');
  const items = given.filter(({ severity }) => severity !== 'note');
  const hidden = Math.max(0, items.length - MAX_ITEMS) + Math.max(0, notes.length - MAX_NOTES);
  return (
    <Section
      name="problems"
      heading="Needs attention"
      part
      empty={given.length === 0 ? 'Nothing.' : undefined}
    >
      {items.length > 0 && <Items items={items.slice(0, MAX_ITEMS)} now={now} />}
      {notes.length > 0 && (
        <>
          <h3>Notes</h3>
          <Items items={notes.slice(0, MAX_NOTES)} now={now} />
        </>
      )}
      {hidden > 0 && (
        <p class="soft">
          and {formatCount(hidden)} more: <Command command={all} />
        </p>
      )}
    </Section>
  );
}

function Items({ items, now }: { items: readonly AttentionItem[]; now: number }) {
  return (
    <ul class="problems">
      {items.map((item) => (
        <Item key={item.id} {...item} now={now} />
      ))}
    </ul>
  );
}

const LEVELS = {
  bad: ['bad', '✕ problem'],
  attention: ['warn', '! attention'],
  note: ['note', 'i note'],
} as const;

function Item({ now, ...item }: AttentionItem & { now: number }) {
  const { id, severity, message, affects, since, nextTry, place, details, advice } = item;
  const [level, label] = LEVELS[severity];
  return (
    <li>
      <p>
        <Message text={message} />
      </p>
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
        {place && <a href={place.href}>{place.text}</a>}
      </div>
      <Details id={id} details={details} />
      {advice.map(({ text, command }) => (
        <p class="detail" key={command ?? text}>
          {text !== null && `${text}${command === null ? '' : ': '}`}
          {command !== null && <Command command={command} />}
        </p>
      ))}
    </li>
  );
}

/** More than one line is folded. */
function Details({ id, details }: { id: string; details: readonly string[] }) {
  const lines = details.map((detail) => (
    <p class="detail" key={detail}>
      <Message text={detail} />
    </p>
  ));
  if (details.length < 2) return <>{lines}</>;
  return (
    <details id={id}>
      <summary>Details</summary>
      {lines}
    </details>
  );
}

/** The script adds a button that copies it. */
function Command({ command }: { command: string }) {
  return (
    <code data-copy>
      <bdi>{command}</bdi>
    </code>
  );
}
