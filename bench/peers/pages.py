"""The pages of the list, for the peers in Python."""

import requests

session = requests.Session()
count = 0


def pages(url, packages):
    """Yields each package with the records of one page."""
    global count
    for pkg in range(1, packages + 1):
        page = last = 1
        while page <= last:
            query = {"key": "k", "pkg": pkg, "page": page, "pagesize": 1000, "sort_item": "id", "sort_direction": "asc"}
            answer = session.get(f"{url}/info/v1/videos.json", params=query).json()["videoInfoList"]
            count += 1
            last = answer["paging"]["totalpage"]
            yield pkg, answer["videoInfoList"]
            page += 1
