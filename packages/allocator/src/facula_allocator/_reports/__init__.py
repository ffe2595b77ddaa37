"""Components of memory reports: call sites, types of snapshots, files, timelines, pages."""
