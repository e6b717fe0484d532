"""MiniWoB++ without a model: a script for each page plays it through the browser's tools, as an agent has them."""
