"""The graph that weir and its peers build: n elements in groups of ten, each with one source file and up to two dependencies on
earlier elements of its group. Half of a group has nobody above it, so a change of the last element's source costs one job."""

GROUP = 10
PER_FOLDER = 1000  # no directory gets so large that its size would be measured


def name(i):
    return f"{i // PER_FOLDER}/e{i}"


def depends(i):
    place = i % GROUP
    first = i - place
    return sorted({first + place // 2, first + place // 3}) if place else []


def folders(n):
    return [str(folder) for folder in range((n + PER_FOLDER - 1) // PER_FOLDER)]
