import numpy as np
import pytest

from txlviz.figures import colours


def brightness(table):
    return table.astype(float) @ [0.2126, 0.7152, 0.0722]


def test_a_table_runs_from_its_first_stop_to_its_last():
    table = colours.table(("#000000", "#ff8000", "#ffffff"), size=5)
    assert table.tolist() == [[0, 0, 0], [128, 64, 0], [255, 128, 0], [255, 192, 128], [255, 255, 255]]


def test_weights_grow_brighter_all_the_way():
    assert (np.diff(brightness(colours.table(colours.CIVIDIS))) >= 0).all()


@pytest.mark.parametrize(("stops", "toward"), [(colours.DIVERGING_LIGHT, -1), (colours.DIVERGING_DARK, 1)])
def test_the_signed_scale_is_neutral_at_zero_and_leaves_the_ground_on_both_sides(stops, toward):
    table = colours.table(stops, size=255)
    middle = table[127].astype(int)
    assert np.ptp(middle) <= 12, "zero has a hue"
    values = toward * brightness(table)
    assert (np.diff(values[127:]) >= 0).all()
    assert (np.diff(values[:128]) <= 0).all()
    assert table[0, 2] > table[0, 0], "negative isn't blue"
    assert table[-1, 0] > table[-1, 2], "positive isn't red"
