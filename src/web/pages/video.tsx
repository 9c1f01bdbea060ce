/** The page of a video: its fields, and its versions. */
import { pluralize } from '../../lib/format.ts';
import { VIDEO_FIELDS } from '../../lib/service-fields.ts';
import type { VersionRow, VideoRow } from '../../queries/named/videos.ts';
import type { VideoStates } from '../../queries/page-queries.ts';
import { ALL_PACKAGES, formatLength, formatSize, packagePath, Timestamp, Title } from './format.tsx';
import { Page, type PageFrame } from './layout.tsx';
import { Section } from './section.tsx';
import { TextSides } from './text-change.tsx';

interface VideoPageProps extends PageFrame, VideoStates {
  packageName: string | null;
  unit: 'ms' | 's';
}

type FieldValue = string | number | null;
type NamedValue = [name: string, value: FieldValue];

/** Of the fields of the service, by name. */
const DESCRIPTIONS = new Map(
  Object.entries(VIDEO_FIELDS).map(([name, { description }]) => [name, description]),
);

/** Columns that are no fields of the service (docs/service.md 2.1). */
const OWN_COLUMNS = new Set([
  ...['account', 'package_id', 'id', 'first_seen_at', 'changed_at', 'removed_at', 'change_seq'],
  ...['valid_from', 'valid_to'],
]);

export function VideoPage({ now: video, before, earlier, packageName, unit, ...frame }: VideoPageProps) {
  return (
    <Page
      {...frame}
      title={video.title ?? `Video ${video.id}`}
      crumbs={[
        ALL_PACKAGES,
        { text: packageName ?? `${video.account}/${video.package_id}`, href: packagePath(video) },
      ]}
    >
      <h1>
        <Title title={video.title} /> <small class="soft">{video.id}</small>
      </h1>
      <p>
        {video.removed_at === null ? (
          <span class="state good">live</span>
        ) : (
          <span class="state bad">
            removed at <Timestamp at={video.removed_at} />
          </span>
        )}{' '}
        first seen <Timestamp at={video.first_seen_at} />, last changed <Timestamp at={video.changed_at} />
      </p>
      <Fields video={video} unit={unit} />
      <Versions now={video} before={before} earlier={earlier} />
    </Page>
  );
}

function listFields(row: VideoRow): NamedValue[] {
  return Object.entries<FieldValue>({ ...row }).filter(([name]) => !OWN_COLUMNS.has(name));
}

function Fields({ video, unit }: { video: VideoRow; unit: 'ms' | 's' }) {
  const fields = listFields(video);
  const isEmpty = ([, value]: NamedValue) => value === null || value === '';
  const [given, empty] = [fields.filter((field) => !isEmpty(field)), fields.filter(isEmpty)];
  return (
    <Section name="fields" heading="Fields">
      <FieldList fields={given} unit={unit} />
      {empty.length > 0 && (
        <details>
          <summary>{pluralize(empty.length, 'empty field')}</summary>
          <FieldList fields={empty} unit={unit} />
        </details>
      )}
      <p class="soft">Playback keys are not shown.</p>
    </Section>
  );
}

function FieldList({ fields, unit }: { fields: readonly NamedValue[]; unit: 'ms' | 's' }) {
  return (
    <dl class="fields">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Label name={name} />
          </dt>
          <dd>
            <Field name={name} value={value} unit={unit} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What the data dictionary calls a field, and its name; the name alone where its meaning is not documented. */
function Label({ name }: { name: string }) {
  const [label = ''] = (DESCRIPTIONS.get(name) ?? '').split(/[;,]/);
  if (label === '' || label.startsWith('Meaning')) return <>{name}</>;
  return (
    <>
      {label} <small class="soft">{name}</small>
    </>
  );
}

function Field({ name, value, unit }: { name: string; value: FieldValue; unit: 'ms' | 's' }) {
  if (value === null || value === '') return <Value value={value} />;
  if (name === 'duration') return <>{`${value} ${unit} (${formatLength(Number(value), unit)})`}</>;
  if (name === 'filesize') return <>{`${value} bytes (${formatSize(Number(value))})`}</>;
  const isWebUrl = /^https?:\/\//i.test(String(value)) && URL.canParse(String(value));
  if (!name.endsWith('_url') || !isWebUrl) return <Value value={value} />;
  return (
    <a href={String(value)} rel="noreferrer noopener nofollow">
      <Value value={value} />
    </a>
  );
}

function Value({ value }: { value: FieldValue }) {
  if (value === null) return <i class="soft">not provided</i>;
  return value === '' ? <i class="soft">empty</i> : <bdi class="text">{value}</bdi>;
}

function Versions({ now, before, earlier }: VideoStates) {
  const states = [now, ...before];
  return (
    <Section name="versions" heading="Versions" count={`${earlier ? 'the last ' : ''}${states.length}`}>
      <ol class="versions" reversed>
        {states.map((state, index) => (
          <li key={state.change_seq}>
            <Version state={state} previous={states[index + 1] ?? earlier} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** What a state changed against the previous one. */
function Version({ state, previous }: { state: VideoRow | VersionRow; previous: VideoRow | null }) {
  const from = 'valid_from' in state ? state.valid_from : (state.removed_at ?? state.changed_at);
  const changes = previous ? listChanges(state, previous) : [];
  return (
    <>
      <p>
        <Timestamp at={from} /> {formatEvent(state, previous, changes.length)}
      </p>
      {changes.length > 0 && (
        <dl class="differences">
          {changes.map(({ name, old, value }) => (
            <div key={name}>
              <dt>
                <Label name={name} />
              </dt>
              <dd>
                <FieldChange old={old} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** The old value, then the new one. */
function FieldChange({ old, value }: { old: FieldValue; value: FieldValue }) {
  if (typeof old === 'string' && typeof value === 'string') {
    return <TextSides old={old} text={value} show={(text) => <Value value={text} />} />;
  }
  return (
    <>
      <del>
        <Value value={old} />
      </del>{' '}
      <ins>
        <Value value={value} />
      </ins>
    </>
  );
}

function listChanges(state: VideoRow, previous: VideoRow) {
  const old = new Map(listFields(previous));
  return listFields(state)
    .map(([name, value]) => ({ name, old: old.get(name) ?? null, value }))
    .filter((change) => change.value !== change.old);
}

function formatEvent(state: VideoRow, previous: VideoRow | null, changes: number): string {
  if (!previous) return 'first known state';
  if (state.removed_at !== null && previous.removed_at === null) return 'removed';
  if (state.removed_at === null && previous.removed_at !== null) return 'restored';
  return changes > 0 ? 'edited' : 'edited: a field that is not shown';
}
