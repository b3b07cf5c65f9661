"""Reports: sign-off data, HTML, JUnit."""
