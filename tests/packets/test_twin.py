"""The engine and its slow twin agree packet for packet."""

import pytest
from hypothesis import given

from agreement import CHUNKS, agree
from corners import CORNERS
from mechanisms import MECHANISMS
from soak import many

pytestmark = [pytest.mark.newer, pytest.mark.soak]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_the_twin_agrees(mechanism):
    many(200)(given(MECHANISMS[mechanism], CHUNKS)(agree))()


@pytest.mark.parametrize("corner", CORNERS)
def test_the_twin_agrees_in_corners(corner):
    agree(CORNERS[corner], 200_000)
