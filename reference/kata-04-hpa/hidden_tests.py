"""Hidden tests of kata 04."""

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from kubekata.grading.hidden import rubric

Case = tuple[int, float, float]  # current, value, target
CONSTANT = ("test_follows_the_load",)
WIDE = {"min_replicas": 0, "max_replicas": 10_000}


def number(n: float) -> str:
    return f"{n:,}" if isinstance(n, int) else f"{n:g}"


def replicas(n: int) -> str:
    return "1 replica" if n == 1 else f"{number(n)} replicas"


def situation(
    current: int,
    value: float,
    target: float,
    *,
    min_replicas: int,
    max_replicas: int,
    tolerance: float | None = None,
) -> str:
    text = f"{replicas(current)}, value {number(value)}, target {number(target)}"
    text += f", min {number(min_replicas)}, max {number(max_replicas)}"
    return text if tolerance is None else f"{text}, tolerance {tolerance:g}"


def decide(
    submission: Any,
    scenario: Any,
    case: Case,
    wanted: int,
    *,
    limits: tuple[int, int] = (1, 10_000),
    **tolerance: float,
) -> None:
    """Ask for one decision and check it."""
    settings = {"min_replicas": limits[0], "max_replicas": limits[1], **tolerance}
    scenario.given(situation(*case, **settings))
    scenario.expected(replicas(wanted))
    answer = submission.desired_replicas(*case, **settings)
    scenario.equal(answer, wanted, got=replicas(answer))


# --- ratio ---------------------------------------------------------------------------------------------------


@rubric("ratio")
def test_follows_the_load(submission, scenario):
    scenario.why("Replicas follow the load: twice the target needs twice the pods, half of it half.")
    for value, wanted in ((200, 8), (50, 2)):
        scenario.given(situation(4, value, 100, **WIDE))
        scenario.expected(replicas(wanted))
        answer = submission.desired_replicas(4, value, 100, **WIDE)
        # One too many is left to the tests about rounding.
        scenario.check(wanted <= answer <= wanted + 1, got=replicas(answer))


@rubric("ratio", needs=CONSTANT)
def test_part_of_a_pod_is_a_pod_on_the_way_up(submission, scenario):
    scenario.why("11.2 pods of work do not fit on 11 pods: round up.")
    decide(submission, scenario, (10, 112, 100), 12)


@rubric("ratio", needs=CONSTANT)
def test_part_of_a_pod_is_a_pod_on_the_way_down(submission, scenario):
    scenario.why("7.1 pods of work do not fit on 7 pods: round up going down too.")
    decide(submission, scenario, (10, 71, 100), 8)


@rubric("ratio", needs=CONSTANT)
def test_half_a_pod_is_a_pod(submission, scenario):
    scenario.why("4.5 pods of work need 5 pods. Python's round(4.5) is 4.")
    decide(submission, scenario, (3, 150, 100), 5)
    scenario.why("2.5 pods of work need 3 pods. Python's round(2.5) is 2.")
    decide(submission, scenario, (5, 50, 100), 3)


@rubric("ratio", needs=CONSTANT)
def test_whole_pods_get_no_extra(submission, scenario):
    scenario.why("6 × 1.5 is exactly 9: nothing is left to round up.")
    decide(submission, scenario, (6, 150, 100), 9)


@rubric("ratio", needs=CONSTANT)
def test_ratio_keeps_its_fraction(submission, scenario):
    scenario.why("The ratio is 1.99, not 1: round the replicas, not the ratio.")
    decide(submission, scenario, (4, 199, 100), 8)
    scenario.why("The ratio is 1.75, not 1 or 2: round the replicas, not the ratio.")
    decide(submission, scenario, (4, 175, 100), 7)


@rubric("ratio", needs=CONSTANT)
def test_ratio_is_not_rounded_before_it_is_used(submission, scenario):
    scenario.why("1000 × 1.25125 is 1251.25. Round once, at the end, and upwards.")
    decide(submission, scenario, (1000, 1001, 800), 1252)


@rubric("ratio", needs=CONSTANT)
def test_target_is_not_always_100(submission, scenario):
    scenario.why("The ratio is value / target: 70 / 40 is 1.75, and 6 × 1.75 is 10.5.")
    decide(submission, scenario, (6, 70, 40), 11)
    scenario.why("The ratio is value / target: 60 / 150 is 0.4, and 9 × 0.4 is 3.6.")
    decide(submission, scenario, (9, 60, 150), 4)


@rubric("ratio", needs=CONSTANT)
def test_metrics_may_be_floats(submission, scenario):
    scenario.why("0.75 cores against 0.5 is a ratio of 1.5; 3 × 1.5 is 4.5.")
    decide(submission, scenario, (3, 0.75, 0.5), 5)


@rubric("ratio", needs=CONSTANT)
def test_one_replica(submission, scenario):
    scenario.why("1 × 2.02 is 2.02, and 2.02 pods are 3.")
    decide(submission, scenario, (1, 101, 50), 3)


@rubric("ratio", needs=CONSTANT)
def test_a_trickle_needs_a_pod(submission, scenario):
    scenario.why("0.1 pods of work need 1 pod, not 0.")
    decide(submission, scenario, (10, 1, 100), 1, limits=(0, 10))


@rubric("ratio", needs=CONSTANT)
def test_large_fleet(submission, scenario):
    scenario.why("5000 × 1.3 is 6500. The formula does not change with size.")
    decide(submission, scenario, (5000, 130, 100), 6500)


@rubric("ratio", needs=CONSTANT)
def test_agrees_on_any_load(submission, scenario, reference):
    scenario.why("Outside the band the answer is ceil(value / target × current).")
    loads = st.builds(
        lambda current, value, target: {"current": current, "value": value, "target": target, **WIDE},
        st.integers(1, 200),
        st.integers(1, 300),
        st.integers(1, 200),
    ).filter(lambda load: outside_any_band(load) and load["value"] <= 2 * load["target"])
    agree(submission, scenario, reference, loads.filter(clear))


# --- band ----------------------------------------------------------------------------------------------------


@rubric("band", needs=CONSTANT)
def test_a_little_above_target_is_fine(submission, scenario):
    scenario.why("1.05 is within 10 % of 1: not worth a change, though ceil says 11.")
    decide(submission, scenario, (10, 105, 100), 10)


@rubric("band", needs=CONSTANT)
def test_a_little_below_target_is_fine(submission, scenario):
    scenario.why("0.93 is within 10 % of 1: not worth a change, though ceil says 19.")
    decide(submission, scenario, (20, 93, 100), 20)


@rubric("band", needs=CONSTANT)
def test_upper_edge_belongs_to_the_band(submission, scenario):
    why = "{} / {} is 1.1, exactly the upper edge 1 + 0.1, so nothing changes. (In floats, 1.1 - 1 is more than 0.1.)"
    scenario.why(why.format(77, 70))
    decide(submission, scenario, (10, 77, 70), 10)
    scenario.why(why.format(110, 100))
    decide(submission, scenario, (21, 110, 100), 21)


@rubric("band", needs=CONSTANT)
def test_lower_edge_belongs_to_the_band(submission, scenario):
    why = "{} / {} is 0.9 and the lower edge is 1 - 0.1: equal, so nothing changes."
    scenario.why(why.format(63, 70))
    decide(submission, scenario, (20, 63, 70), 20)
    scenario.why(why.format(90, 100))
    decide(submission, scenario, (24, 90, 100), 24)


@rubric("band", needs=CONSTANT)
def test_just_above_the_band_acts(submission, scenario):
    scenario.why("141 / 128 is 1.1016, outside the band that ends at 1.1.")
    decide(submission, scenario, (128, 141, 128), 141)


@rubric("band", needs=CONSTANT)
def test_just_below_the_band_acts(submission, scenario):
    scenario.why("115 / 128 is 0.8984, outside the band that starts at 0.9.")
    decide(submission, scenario, (128, 115, 128), 115)


@rubric("band", needs=CONSTANT)
def test_band_is_about_the_ratio_not_the_replicas(submission, scenario):
    scenario.why("The tolerance applies to the ratio (1.08), not to 9 pods against 10.")
    decide(submission, scenario, (9, 108, 100), 9)
    scenario.why("The tolerance applies to the ratio (1.07), however many pods it is.")
    decide(submission, scenario, (200, 107, 100), 200)


@rubric("band", needs=CONSTANT)
def test_band_is_a_share_of_the_target(submission, scenario):
    why = "The tolerance is a share of the target, not a distance in the metric's unit: {} / {} is {}."
    scenario.why(why.format(0.75, 0.5, 1.5))
    decide(submission, scenario, (4, 0.75, 0.5), 6)
    scenario.why(why.format(2100, 2000, 1.05))
    decide(submission, scenario, (40, 2100, 2000), 40)


@rubric("band", needs=CONSTANT)
def test_wider_band_when_asked(submission, scenario):
    scenario.why("1.4 is inside a band of 0.5 to 1.5.")
    decide(submission, scenario, (10, 140, 100), 10, tolerance=0.5)
    scenario.why("0.6 is inside a band of 0.5 to 1.5.")
    decide(submission, scenario, (10, 60, 100), 10, tolerance=0.5)
    scenario.why("1.6 is outside a band of 0.5 to 1.5.")
    decide(submission, scenario, (10, 160, 100), 16, tolerance=0.5)


@rubric("band", needs=CONSTANT)
def test_narrower_band_when_asked(submission, scenario):
    scenario.why("34 / 32 is 1.0625, outside a band of 0.95 to 1.05.")
    decide(submission, scenario, (32, 34, 32), 34, tolerance=0.05)
    scenario.why("30 / 32 is 0.9375, outside a band of 0.95 to 1.05.")
    decide(submission, scenario, (32, 30, 32), 30, tolerance=0.05)
    scenario.why("1.04 is inside a band of 0.95 to 1.05.")
    decide(submission, scenario, (20, 104, 100), 20, tolerance=0.05)


@rubric("band", needs=CONSTANT)
def test_no_tolerance_at_all(submission, scenario):
    scenario.why("With tolerance 0 every deviation counts.")
    decide(submission, scenario, (64, 65, 64), 65, tolerance=0.0)
    decide(submission, scenario, (64, 63, 64), 63, tolerance=0.0)
    scenario.why("On target there is nothing to do.")
    decide(submission, scenario, (100, 100, 100), 100, tolerance=0.0)


@rubric("band", needs=CONSTANT)
def test_agrees_on_any_tolerance(submission, scenario, reference):
    scenario.why(
        "Inside 1 - tolerance ≤ value / target ≤ 1 + tolerance the replicas stay; outside they follow the ratio."
    )
    loads = whole_loads(st.integers(30, 180))
    cases = st.builds(lambda load, tolerance: {**load, **WIDE, "tolerance": tolerance}, loads, TOLERANCES)
    agree(submission, scenario, reference, cases.filter(clear))


# --- limits --------------------------------------------------------------------------------------------------


@rubric("limits", needs=CONSTANT)
def test_never_above_the_maximum(submission, scenario):
    scenario.why("The load asks for 30; max_replicas is 15.")
    decide(submission, scenario, (10, 300, 100), 15, limits=(2, 15))


@rubric("limits", needs=CONSTANT)
def test_never_below_the_minimum(submission, scenario):
    scenario.why("The load asks for 1; min_replicas is 3.")
    decide(submission, scenario, (10, 10, 100), 3, limits=(3, 15))


@rubric("limits", needs=CONSTANT)
def test_maximum_holds_inside_the_band(submission, scenario):
    scenario.why("Inside the band the proposal is the current count, and the limits bind every proposal.")
    decide(submission, scenario, (12, 100, 100), 10, limits=(2, 10))
    decide(submission, scenario, (11, 95, 100), 10, limits=(2, 10))


@rubric("limits", needs=CONSTANT)
def test_minimum_holds_inside_the_band(submission, scenario):
    scenario.why("Inside the band the proposal is the current count, and the limits bind every proposal.")
    decide(submission, scenario, (2, 100, 100), 5, limits=(5, 10))
    decide(submission, scenario, (4, 107, 100), 5, limits=(5, 10))


@rubric("limits", needs=CONSTANT)
def test_one_legal_size(submission, scenario):
    scenario.why("min_replicas equal to max_replicas is legal: a fixed size.")
    decide(submission, scenario, (4, 200, 100), 6, limits=(6, 6))
    decide(submission, scenario, (9, 50, 100), 6, limits=(6, 6))


@rubric("limits", needs=CONSTANT)
def test_limits_bind_the_proposal_not_the_current_count(submission, scenario):
    why = "The load decides first, then the limits: {}."
    scenario.why(why.format("half of 30 is 15, below the maximum of 20"))
    decide(submission, scenario, (30, 50, 100), 15, limits=(2, 20))
    scenario.why(why.format("3 × 3 is 9, above the minimum of 5"))
    decide(submission, scenario, (3, 300, 100), 9, limits=(5, 20))


@rubric("limits", needs=CONSTANT)
def test_no_other_limit_on_a_jump(submission, scenario):
    scenario.why("Only min_replicas and max_replicas limit one decision here.")
    decide(submission, scenario, (3, 1000, 100), 30, limits=(1, 100))
    decide(submission, scenario, (96, 1, 32), 3, limits=(1, 100))


@rubric("limits", needs=CONSTANT)
def test_absurd_spike(submission, scenario):
    scenario.why("However high the value, max_replicas is 40.")
    decide(submission, scenario, (3, 10**12, 1), 40, limits=(1, 40))


@rubric("limits", needs=CONSTANT)
def test_agrees_on_any_limits(submission, scenario, reference):
    scenario.why("The proposal is brought into min_replicas … max_replicas, whichever way it was found.")
    limits = st.tuples(st.integers(0, 200), st.integers(0, 200)).map(
        lambda pair: {"min_replicas": min(pair), "max_replicas": max(pair)}
    )
    loads = whole_loads(st.integers(1, 400)).filter(
        lambda load: outside_any_band(load) or load["value"] == load["target"]
    )
    agree(submission, scenario, reference, st.builds(lambda load, bounds: {**load, **bounds}, loads, limits))


# --- zero ----------------------------------------------------------------------------------------------------


@rubric("zero", needs=CONSTANT)
def test_zero_replicas_stay_zero_under_load(submission, scenario):
    scenario.why(
        "0 replicas means that somebody switched autoscaling off; the minimum does not switch it on again."
    )
    decide(submission, scenario, (0, 500, 100), 0, limits=(2, 10))


@rubric("zero", needs=CONSTANT)
def test_zero_replicas_stay_zero_on_target(submission, scenario):
    scenario.why("0 replicas means that somebody switched autoscaling off, whatever the metric says.")
    decide(submission, scenario, (0, 100, 100), 0, limits=(2, 10))
    decide(submission, scenario, (0, 0, 100), 0, limits=(2, 10))


@rubric("zero", needs=CONSTANT)
def test_idle_goes_to_the_minimum(submission, scenario):
    scenario.why("A value of 0 is a measurement: nobody needs the pods.")
    decide(submission, scenario, (5, 0, 100), 2, limits=(2, 10))


@rubric("zero", needs=CONSTANT)
def test_idle_may_go_to_zero(submission, scenario):
    scenario.why("ceil(0) is 0 and min_replicas 0 allows it.")
    decide(submission, scenario, (3, 0, 100), 0, limits=(0, 10))


@rubric("zero", needs=CONSTANT)
def test_negative_value_goes_to_the_minimum(submission, scenario):
    scenario.why(
        "A metric may be negative (a difference, a temperature). The ratio is negative, and the minimum holds."
    )
    decide(submission, scenario, (5, -80, 100), 2, limits=(2, 10))
    decide(submission, scenario, (5, -100, 100), 2, limits=(2, 10))


@rubric("zero", needs=CONSTANT)
def test_negative_value_never_gives_negative_replicas(submission, scenario):
    scenario.why("There is no such thing as -15 pods.")
    decide(submission, scenario, (5, -300, 100), 0, limits=(0, 10))


# --- settings ------------------------------------------------------------------------------------------------


def refuses(submission: Any, scenario: Any, case: Case, limits: tuple[int, int]) -> None:
    settings = {"min_replicas": limits[0], "max_replicas": limits[1]}
    scenario.given(situation(*case, **settings))
    scenario.expected("ValueError")
    scenario.raises(lambda: submission.desired_replicas(*case, **settings), "ValueError")


@rubric("settings", needs=CONSTANT)
def test_target_zero_is_refused(submission, scenario):
    scenario.why("No number of pods brings an average to a target of 0.")
    refuses(submission, scenario, (3, 50, 0), (1, 10))


@rubric("settings", needs=CONSTANT)
def test_negative_target_is_refused(submission, scenario):
    scenario.why("A target below 0 makes no sense, whatever the sign of the value.")
    refuses(submission, scenario, (3, 50, -10), (1, 10))
    refuses(submission, scenario, (3, -50, -0.5), (1, 10))


@rubric("settings", needs=CONSTANT)
def test_minimum_above_maximum_is_refused(submission, scenario):
    scenario.why("No count satisfies a minimum above the maximum: say so instead of picking one.")
    refuses(submission, scenario, (3, 200, 100), (11, 10))
    refuses(submission, scenario, (3, 100, 100), (5, 2))


@rubric("settings", needs=CONSTANT)
def test_settings_are_checked_also_when_switched_off(submission, scenario):
    scenario.why(
        "Rule 1 comes before every other rule: a mistake in the settings is told even at 0 replicas."
    )
    refuses(submission, scenario, (0, 50, 0), (1, 10))
    refuses(submission, scenario, (0, 50, 100), (4, 3))


# --- generated cases -----------------------------------------------------------------------------------------

TOLERANCES = st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.5])


def whole_loads(percents: Any) -> Any:
    """Loads of about so many percent of the target that ask for a whole number of pods, also in floats."""
    return st.builds(
        lambda power, share, percent: {
            "current": 2**power * share,
            "value": max(1, 2**power * percent // 100),
            "target": 2**power,
        },
        st.integers(3, 7),
        st.integers(1, 3),
        percents,
    )


def outside_any_band(case: dict[str, Any]) -> bool:
    return not 0.8 <= case["value"] / case["target"] <= 1.25


def clear(case: dict[str, Any]) -> bool:
    """Keep off the edges on which floats and exact arithmetic may differ; tests of their own look at those."""
    ratio = Fraction(case["value"], case["target"])
    tolerance = Fraction(str(case.get("tolerance", 0.1)))
    pods = ratio * case["current"]
    near = Fraction(1, 10**6)
    off_band_edges = all(abs(ratio - edge) > near for edge in (1 - tolerance, 1 + tolerance))
    exact = case["target"] & (case["target"] - 1) == 0
    return off_band_edges and (exact or abs(pods - round(pods)) > near)


def agree(submission: Any, scenario: Any, reference: Any, cases: Any) -> None:
    scenario.agree(
        submission.desired_replicas,
        reference.desired_replicas,
        cases,
        show=lambda case: situation(**case),
        max_examples=50,
    )
