def target(number):
    raise NotImplementedError


def spread(numbers):
    raise NotImplementedError


def other(text):
    raise NotImplementedError
