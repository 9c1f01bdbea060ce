/** Videos in a table: those of a list, and those that were removed. */
import type { SortItem } from '../../service/videos.ts';
import type { RemovedVideo } from '../../queries/named/videos.ts';
import type { ListedVideo, PackageQuery } from '../package-view.ts';
import { formatByteTitle, formatLength, VideoLink } from './format.tsx';
import { Table } from './table.tsx';

type Package = { account: string; package_id: number };

export interface VideoTableParts {
  of: Package;
  videos: readonly ListedVideo[];
  wish: PackageQuery;
  unit: 'ms' | 's';
  /** The address of the same list, but for what is given. */
  addressOf: (other: Partial<PackageQuery>) => string;
}

const SORTED: readonly (readonly [SortItem, string])[] = [
  ['id', 'Id'],
  ['title', 'Title'],
  ['duration', 'Length'],
  ['filesize', 'Size'],
];

export function VideoTable({ of, videos, wish, unit, addressOf }: VideoTableParts) {
  const head = [
    ...SORTED.map(([item, words]) => (
      <SortHeading key={item} item={item} words={words} wish={wish} addressOf={addressOf} />
    )),
    <th scope="col">Series</th>,
    <th scope="col">Made</th>,
  ];
  return (
    <Table label={VIDEOS} head={head}>
      {videos.map((video) => (
        <tr key={video.id}>
          <VideoCells of={of} video={video} unit={unit} />
          <td>
            <bdi>{video.series}</bdi>
          </td>
          <td>
            <bdi>{video.cdate}</bdi>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const VIDEOS = { by: 'videos-heading' };

type VideoCellsParts = {
  of: Package;
  video: Pick<ListedVideo, 'id' | 'title' | 'duration' | 'filesize'>;
  unit: 'ms' | 's';
};

/** What every list shows of a video first. */
function VideoCells({ of, video, unit }: VideoCellsParts) {
  return (
    <>
      <td class="number">{video.id}</td>
      <th scope="row">
        <VideoLink of={{ ...of, ...video }} />
      </th>
      <td class="number">{formatLength(video.duration, unit)}</td>
      <td class="number">{formatByteTitle(video.filesize)}</td>
    </>
  );
}

type SortHeadingParts = Pick<VideoTableParts, 'wish' | 'addressOf'> & { item: SortItem; words: string };

function SortHeading({ item, words, wish, addressOf }: SortHeadingParts) {
  const isSorted = wish.sort === item;
  const direction = isSorted && wish.direction === 'asc' ? 'desc' : 'asc';
  const sign = wish.direction === 'asc' ? '↑' : '↓';
  return (
    <th
      scope="col"
      class={item === 'title' ? undefined : 'number'}
      aria-sort={isSorted ? (wish.direction === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      <a href={addressOf({ sort: item, direction, page: 1 })}>
        {words}
        {isSorted && <span aria-hidden="true"> {sign}</span>}
      </a>
    </th>
  );
}

type RemovedTableParts = { of: Package; videos: readonly RemovedVideo[]; unit: 'ms' | 's' };

export function RemovedTable({ of, videos, unit }: RemovedTableParts) {
  const head = ['>Id', 'Title', '>Length', '>Size', 'First seen (UTC)', 'Proved gone (UTC)'];
  return (
    <Table label={VIDEOS} head={head}>
      {videos.map((video) => (
        <tr key={video.id}>
          <VideoCells of={of} video={video} unit={unit} />
          <td class="nowrap">{video.first_seen_at}</td>
          <td class="nowrap">{video.removed_at}</td>
        </tr>
      ))}
    </Table>
  );
}
