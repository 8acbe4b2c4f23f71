from kata import double


def test_three():
    assert double(3) == 6
