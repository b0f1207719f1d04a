"""Values as HTML, without a dependency: text that cannot break out, styles, and whole pages."""
