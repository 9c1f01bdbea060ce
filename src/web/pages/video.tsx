/** The page of a video: what it is, its history, and its fields as the service sent them. */
import type { ComponentChildren } from 'preact';
import * as z from 'zod';
import { pluralize } from '../../lib/format.ts';
import { VIDEO_FIELDS } from '../../service/service-fields.ts';
import { PACKAGE } from '../../queries/named/packages.ts';
import { readVideo, type VersionRow, type VideoRow } from '../../queries/named/videos.ts';
import { packagePath } from '../../health/place.ts';
import { idParam, type Routing } from './routing.ts';
import { ChangeBadge, TextChange } from './change-parts.tsx';
import { ALL_PACKAGES, formatLength, formatPackage, formatSize, Timestamp, Title } from './format.tsx';
import { Page } from './layout.tsx';
import { Section } from './section.tsx';

const videoParams = z.object({ account: z.string(), package: idParam, video: idParam });

type FieldValue = string | number | null;

/** Columns that are no fields of the service (docs/service.md 2.1). */
const OWN_COLUMNS = new Set([
  'account',
  'package_id',
  'id',
  'first_seen_at',
  'changed_at',
  'removed_at',
  'change_seq',
  'change',
  'first_missing_at',
  'valid_to',
]);

export function addVideoPage({ sources: { db, config }, frame, page }: Routing): void {
  const unit = config.durationUnit;
  page('/videos/:account/:package/:video', async ({ params: raw }) => {
    const params = videoParams.safeParse(raw);
    if (!params.success) return null;
    const of = { account: params.data.account, package_id: params.data.package };
    const found = readVideo(db, { ...of, id: params.data.video });
    if (!found) return null;
    const { now: video, before, earlier } = found;
    const packageName = formatPackage({ of, name: PACKAGE.get(db, of)?.name ?? null }, frame);
    const states = [video, ...before];
    return (
      <Page
        {...frame}
        title={video.title ?? `Video ${video.id}`}
        styles={['lists.css']}
        crumbs={[ALL_PACKAGES, { text: packageName, href: packagePath(video) }]}
      >
        <h1>
          <Title title={video.title} /> <small class="soft">{video.id}</small>
        </h1>
        <p id="summary">
          {video.removed_at !== null && <ChangeBadge change={video.change} />} {describe(video, unit)}
        </p>
        <Section name="history" heading="History" count={`${earlier ? 'the last ' : ''}${states.length}`}>
          <ol class="timeline" reversed>
            {states.map((state, index) => (
              <li key={state.change_seq}>
                <State state={state} previous={states[index + 1] ?? earlier} unit={unit} />
              </li>
            ))}
          </ol>
        </Section>
        <FieldsSection video={video} unit={unit} />
      </Page>
    );
  });
}

/** `55:00 · 1.84 GiB · 1080 x 1920 · 30 fps · encoded`, as far as it is known. */
function describe(video: VideoRow, unit: 'ms' | 's'): string {
  const { duration, filesize, v_width: width, v_height: height, v_framerate: rate } = video;
  const texts = [
    formatLength(duration, unit),
    formatSize(filesize),
    width !== null && height !== null ? `${width} x ${height}` : '',
    rate === null ? '' : `${rate} fps`,
    video.encoding_success === 'Y' ? 'encoded' : '',
  ];
  return texts.filter((text) => text !== '').join(' · ');
}

const listFields = (row: VideoRow) =>
  Object.entries<FieldValue>({ ...row }).filter(([name]) => !OWN_COLUMNS.has(name));

function FieldsSection({ video, unit }: { video: VideoRow; unit: 'ms' | 's' }) {
  const fields = listFields(video);
  return (
    <Section name="fields" heading="Fields">
      <details id="raw">
        <summary>{pluralize(fields.length, 'field')} as the service sent them</summary>
        <Fields
          fields={fields.map(([name, value]) => [name, <Field name={name} value={value} unit={unit} />])}
        />
        <p class="soft">Playback keys are not shown.</p>
      </details>
    </Section>
  );
}

/**
 * Fields with the label of the data dictionary; a field whose meaning is not documented has its name alone.
 */
function Fields({ fields }: { fields: readonly (readonly [name: string, shown: ComponentChildren])[] }) {
  const descriptions: Record<string, { description: string } | undefined> = VIDEO_FIELDS;
  return (
    <dl class="fields">
      {fields.map(([name, shown]) => {
        const [label = ''] = descriptions[name]?.description.split(/[;,]/) ?? [];
        const isKnown = label !== '' && !label.startsWith('Meaning');
        return (
          <div key={name}>
            <dt>
              {isKnown ? `${label} ` : name}
              {isKnown && <small class="soft">{name}</small>}
            </dt>
            <dd>{shown}</dd>
          </div>
        );
      })}
    </dl>
  );
}

type FieldProps = { name: string; value: FieldValue; unit: 'ms' | 's' };

function Field({ name, value, unit }: FieldProps) {
  if (name === 'duration' && value !== null)
    return <>{`${value} ${unit} (${formatLength(Number(value), unit)})`}</>;
  if (name === 'filesize' && value !== null) return <>{`${value} bytes (${formatSize(Number(value))})`}</>;
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

interface StateProps {
  state: VideoRow | VersionRow;
  previous: VideoRow | null;
  unit: 'ms' | 's';
}

/** What a state changed against the previous one. */
function State({ state, previous, unit }: StateProps) {
  const old = new Map(previous ? listFields(previous) : []);
  const changes = previous ? listFields(state).filter(([name, value]) => value !== old.get(name)) : [];
  return (
    <>
      <p>
        <ChangeBadge change={state.change} /> <Timestamp at={state.changed_at} />
        {state.change === 'edited' && changes.length === 0 && ' a field that is not shown'}
        {state.first_missing_at !== null && state.first_missing_at < state.changed_at && (
          <>
            {', first missing '}
            <Timestamp at={state.first_missing_at} />
          </>
        )}
      </p>
      {changes.length > 0 && (
        <Fields
          fields={changes.map(([name, value]) => [
            name,
            <FieldChange name={name} old={old.get(name) ?? null} value={value} unit={unit} />,
          ])}
        />
      )}
    </>
  );
}

/** Two texts as one, with the words that differ; other values one after the other. */
function FieldChange({ old, ...field }: FieldProps & { old: FieldValue }) {
  if (typeof old === 'string' && typeof field.value === 'string') {
    return <TextChange old={old} text={field.value} show={(text) => <Value value={text} />} />;
  }
  return (
    <>
      <del>
        <Field {...field} value={old} />
      </del>{' '}
      <ins>
        <Field {...field} />
      </ins>
    </>
  );
}
