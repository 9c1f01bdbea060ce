/** Tables of videos: the list of a package, and its removed videos. */
import type { RemovedVideo } from '../../queries/named/videos.ts';
import { SORT_ITEMS, type SortItem } from '../../service/videos.ts';
import type { ListedVideo, PackageQuery } from '../views/package-view.ts';
import { formatLength, formatSize, Timestamp, Title, videoPath } from './format.tsx';
import { Table } from './table.tsx';

type PackageKey = { account: string; package_id: number };

interface VideoTableProps {
  packageKey: PackageKey;
  videos: readonly ListedVideo[];
  query: PackageQuery;
  unit: 'ms' | 's';
  /** The address of the list with a changed query. */
  listUrl: (change: Partial<PackageQuery>) => string;
}

const SORTABLE = { id: 'Id', title: 'Title', duration: 'Length', filesize: 'Size' } satisfies Record<
  SortItem,
  string
>;

export function VideoTable({ packageKey, videos, query, unit, listUrl }: VideoTableProps) {
  const head = [
    ...SORT_ITEMS.map((item) => <SortHeading key={item} item={item} query={query} listUrl={listUrl} />),
    'Series',
    'Created',
  ];
  return (
    <Table label={{ by: 'videos-heading' }} head={head}>
      {videos.map((video) => (
        <tr key={video.id}>
          <VideoCells packageKey={packageKey} video={video} unit={unit} />
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

type VideoCellsProps = {
  packageKey: PackageKey;
  video: Pick<ListedVideo, 'id' | 'title' | 'duration' | 'filesize'>;
  unit: 'ms' | 's';
};

/** The columns that both tables begin with. */
function VideoCells({ packageKey, video, unit }: VideoCellsProps) {
  return (
    <>
      <td class="number">{video.id}</td>
      <th scope="row">
        <a href={videoPath({ ...packageKey, ...video })}>
          <Title title={video.title} />
        </a>
      </th>
      <td class="number">{formatLength(video.duration, unit)}</td>
      <td class="number">{formatSize(video.filesize)}</td>
    </>
  );
}

type SortHeadingProps = Pick<VideoTableProps, 'query' | 'listUrl'> & { item: SortItem };

function SortHeading({ item, query, listUrl }: SortHeadingProps) {
  const isSorted = query.sort === item;
  const isAscending = query.direction === 'asc';
  const direction = isSorted && isAscending ? 'desc' : 'asc';
  return (
    <th
      scope="col"
      class={item === 'title' ? undefined : 'number'}
      aria-sort={isSorted ? (isAscending ? 'ascending' : 'descending') : undefined}
    >
      <a href={listUrl({ sort: item, direction, page: 1 })}>
        {SORTABLE[item]}
        {isSorted && <span aria-hidden="true"> {isAscending ? '↑' : '↓'}</span>}
      </a>
    </th>
  );
}

type RemovedTableProps = { packageKey: PackageKey; videos: readonly RemovedVideo[]; unit: 'ms' | 's' };

export function RemovedTable({ packageKey, videos, unit }: RemovedTableProps) {
  const head = ['>Id', 'Title', '>Length', '>Size', 'First seen', 'Removed'];
  return (
    <Table label={{ by: 'videos-heading' }} head={head}>
      {videos.map((video) => (
        <tr key={video.id}>
          <VideoCells packageKey={packageKey} video={video} unit={unit} />
          <td class="nowrap">
            <Timestamp at={video.first_seen_at} />
          </td>
          <td class="nowrap">
            <Timestamp at={video.removed_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
