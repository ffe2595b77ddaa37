"""What reports of memory consist of: call sites, types of snapshots, files, timelines, pages."""
