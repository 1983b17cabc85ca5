"""Models kept in files: plain data, checksummed, mapped, replaced in one step."""
