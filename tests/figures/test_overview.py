import numpy as np

from txlviz.figures.overview import HIDDEN, thumbnails


def causal(n_queries, n_keys):
    return np.arange(n_keys)[None] <= np.arange(n_keys - n_queries, n_keys)[:, None]


def test_small_weights_keep_their_shape():
    visible = causal(3, 5)
    weights = np.where(visible, 0.25, 0).astype(np.float32)[None]
    levels = thumbnails([weights, weights], visible)
    assert levels.shape == (2, 1, 3, 5)
    assert (levels[0, 0] == np.where(visible, 255, HIDDEN)).all()


def test_large_weights_are_pooled_to_64_and_no_peak_is_lost():
    visible = causal(100, 300)
    weights = np.where(visible, 0.0, 0).astype(np.float32)
    peaks = [(0, 0), (37, 111), (99, 299)]
    for i, j in peaks:
        weights[i, j] = 1
    levels = thumbnails([np.stack([weights] * 2)], visible)
    assert levels.shape == (1, 2, 64, 64)
    for i, j in peaks:
        # Where the blocks begin: (n · cells) // 64.
        row = max(n for n in range(64) if n * 100 // 64 <= i)
        column = max(n for n in range(64) if n * 300 // 64 <= j)
        assert levels[0, 1, row, column] == 255


def test_visible_cells_never_look_hidden():
    visible = causal(4, 4)
    weights = np.zeros((1, 4, 4), np.float32)
    levels = thumbnails([weights], visible)[0, 0]
    assert (levels[visible] > HIDDEN).all()
    assert (levels[~visible] == HIDDEN).all()


def test_equal_weights_are_equally_bright_and_larger_ones_brighter():
    visible = np.ones((10, 10), bool)
    weights = np.linspace(0, 1, 100, dtype=np.float32).reshape(1, 10, 10)
    levels = thumbnails([weights], visible)[0, 0].ravel().astype(int)
    assert (np.diff(levels) >= 0).all()
    assert levels[0] == 1
    assert levels[-1] == 255
