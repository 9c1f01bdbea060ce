/** What needs attention: how severe, since when, where, and the commands to type. Notes are apart. */
import type { Item } from '../../health/items.ts';
import { formatCount } from '../../lib/format.ts';
import { isAccountStream, STREAM_KINDS } from '../../sync/streams.ts';
import { packagePath, toQueryString } from './paths.ts';
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
    element: <ItemRow key={getId(item)} item={item} now={now} place={isOfPackage ? null : findPlace(item)} />,
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
function getId({ problem: { of, scope } }: Item): string {
  const parts = [scope.account, scope.packageId, scope.part].map((each) => encodeURIComponent(each ?? ''));
  return `about-${of.kind}-${parts.join('-')}`;
}

const LEVELS = {
  bad: ['bad', '✕ problem'],
  attention: ['warn', '! attention'],
  note: ['note', 'i note'],
} as const;

type Place = { text: string; href: string } | null;

function ItemRow({ item, now, place }: { item: Item; now: number; place: Place }) {
  const { severity, message, affects, since, nextTry, details, advice } = item;
  const [level, label] = LEVELS[severity];
  const commands = advice.filter(({ command }) => command !== null);
  const texts = advice.flatMap(({ text, command }) => (command === null ? (text ?? []) : []));
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
      <Details id={getId(item)} lines={[...details, ...texts]} />
      {commands.map(({ text, command }) => (
        <p class="detail" key={command}>
          {text !== null && `${text}: `}
          {command !== null && <Command text={command} />}
        </p>
      ))}
    </li>
  );
}

/** The lines below a message; more than one line is folded. */
function Details({ id, lines }: { id: string; lines: readonly string[] }) {
  const shown = lines.map((text) => (
    <p class="detail" key={text}>
      <Message text={text} />
    </p>
  ));
  if (lines.length < 2) return <>{shown}</>;
  return (
    <details id={id}>
      <summary>Details</summary>
      {shown}
    </details>
  );
}

const PLACES = {
  requests: { text: 'Requests', href: '#budgets' },
  runs: { text: 'Runs', href: '/runs' },
};

/** The place on the pages that shows more. */
function findPlace({ problem: { of, scope }, isGroup }: Item): Place {
  const { account, packageId, part } = scope;
  if (isGroup) return { text: 'Packages', href: '/packages' };
  if (account !== null && packageId !== null)
    return { text: 'Package', href: packagePath({ account, package_id: packageId }) };
  if (account !== null && isAccountStream(part)) {
    const { path, link } = STREAM_KINDS[part].page;
    return { text: link, href: `${path}${toQueryString({ account })}` };
  }
  return of.place ? PLACES[of.place] : null;
}
