"""The Score terms page's figure: linked maps of a head's scores on a canvas, and the controls around it."""
