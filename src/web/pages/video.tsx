/** The page of a video: its fields as they stand, and each state before. */
import type { VideoStates } from '../../queries/page-queries.ts';
import type { VersionRow, VideoRow } from '../../queries/named/videos.ts';
import { formatByteTitle, formatLength, Timestamp, packagePath, Title } from './format.tsx';
import { Page, type PageParts } from './layout.tsx';

export interface VideoPageParts extends Pick<PageParts, 'addressOf' | 'mayLeave'>, VideoStates {
  packageName: string | null;
  unit: 'ms' | 's';
}

/** What is not a field of the service (docs/service.md 2.1). */
const OWN = [
  'account',
  'package_id',
  'id',
  'first_seen_at',
  'changed_at',
  'removed_at',
  'change_seq',
  'valid_from',
  'valid_to',
];

export function VideoPage({ now: video, before, earlier, packageName, unit, ...page }: VideoPageParts) {
  const name = packageName ?? `${video.account}/${video.package_id}`;
  return (
    <Page {...page} title={`${video.title ?? `Video ${video.id}`} · vodhouse`}>
      <nav class="crumbs" aria-label="Up">
        <a href="/#packages">All packages</a> /{' '}
        <a href={packagePath(video)}>
          <bdi>{name}</bdi>
        </a>
      </nav>
      <h1>
        <Title of={video.title} /> <small class="soft">{video.id}</small>
      </h1>
      <p>
        {video.removed_at === null ? (
          <span class="state good">live</span>
        ) : (
          <span class="state bad">removed at {video.removed_at} UTC</span>
        )}{' '}
        first seen <Timestamp at={video.first_seen_at} />, last changed <Timestamp at={video.changed_at} />{' '}
        UTC
      </p>
      <Fields of={video} unit={unit} />
      <Versions now={video} before={before} earlier={earlier} />
    </Page>
  );
}

function fieldsOf(row: VideoRow): [name: string, value: string | number | null][] {
  return Object.entries<string | number | null>({ ...row }).filter(([name]) => !OWN.includes(name));
}

function Fields({ of: video, unit }: { of: VideoRow; unit: 'ms' | 's' }) {
  return (
    <section class="card" aria-labelledby="fields-heading">
      <h2 id="fields-heading">Fields</h2>
      <dl class="fields">
        {fieldsOf(video).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <FieldValue name={name} value={value} unit={unit} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="soft">The keys that let it be played are not shown here.</p>
    </section>
  );
}

function FieldValue({
  name,
  value,
  unit,
}: {
  name: string;
  value: string | number | null;
  unit: 'ms' | 's';
}) {
  if (value === null) return <i class="soft">not told</i>;
  if (value === '') return <i class="soft">empty</i>;
  if (name === 'duration') return <>{`${value} ${unit} (${formatLength(Number(value), unit)})`}</>;
  if (name === 'filesize') return <>{`${value} bytes (${formatByteTitle(Number(value))})`}</>;
  if (name.endsWith('_url')) return <Address of={String(value)} />;
  return <bdi class="text">{value}</bdi>;
}

/** A link, which nobody follows but whoever clicks it; only where it leads to the web. */
function Address({ of: address }: { of: string }) {
  const isWeb = /^https?:\/\//i.test(address) && URL.canParse(address);
  if (!isWeb) return <bdi class="text">{address}</bdi>;
  return (
    <a href={address} rel="noreferrer noopener nofollow">
      <bdi class="text">{address}</bdi>
    </a>
  );
}

function Versions({ now, before, earlier }: VideoStates) {
  const states = [now, ...before];
  return (
    <section class="card" aria-labelledby="versions-heading">
      <h2 id="versions-heading">
        Versions <small>{`${earlier ? 'the last ' : ''}${states.length}`}</small>
      </h2>
      <ol class="versions" reversed>
        {states.map((state, index) => (
          <li key={state.change_seq}>
            <Version of={state} former={states[index + 1] ?? earlier} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What a state changed of the one before it. */
function Version({ of: state, former }: { of: VideoRow | VersionRow; former: VideoRow | null }) {
  const from = 'valid_from' in state ? state.valid_from : (state.removed_at ?? state.changed_at);
  const changes = former ? changesOf(state, former) : [];
  return (
    <>
      <p>
        <Timestamp at={from} /> {whatHappened(state, former, changes.length)}
      </p>
      {changes.length > 0 && <Differences of={changes} />}
    </>
  );
}

/** The fields that differ, with the old value and the new one. */
function changesOf(state: VideoRow, former: VideoRow) {
  const old = new Map(fieldsOf(former));
  return fieldsOf(state)
    .map(([name, value]) => ({ name, old: old.get(name) ?? null, value }))
    .filter((change) => change.value !== change.old);
}

function whatHappened(state: VideoRow, former: VideoRow | null, changes: number): string {
  if (!former) return 'first state that is known';
  if (state.removed_at !== null && former.removed_at === null) return 'removed';
  if (state.removed_at === null && former.removed_at !== null) return 'came back';
  return changes > 0 ? 'edited' : 'edited: a key that is not shown';
}

function Differences({ of: changes }: { of: ReturnType<typeof changesOf> }) {
  return (
    <dl class="differences">
      {changes.map(({ name, old, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <del>
              <Plain value={old} />
            </del>{' '}
            <ins>
              <Plain value={value} />
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Plain({ value }: { value: string | number | null }) {
  if (value === null) return <i class="soft">not told</i>;
  return value === '' ? <i class="soft">empty</i> : <bdi class="text">{value}</bdi>;
}
