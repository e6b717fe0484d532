/** Loads Preact before anything that uses it. */
import "preact";
import "preact/hooks";
import "@preact/signals";
