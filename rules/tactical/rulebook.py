"""The book of the tactical module: every rule, parameter and refusal, in the book's order and in our own words.

A refusal's message names the figures that the engine hands over; whatever else is handed over may stay unused:

    figure           stands for                          used by
    unit             the unit that was ordered           most messages about a unit's own state
    target           the enemy or friend aimed at        friendly_target, no_effect_on_artillery, target_in_melee
    cell             a cell's label                      off_map, impassable, occupied, bad_cell, outside_strip
    needed, left     points of speed                     too_far
    distance, range  cells                               out_of_range
    turn             the unit's next own turn            reloading
"""

from __future__ import annotations

from rules.core.rulebook import DEDUCED, HOUSE, STATED, Chapter, Parameter, Refusal, Rulebook, rule
from rules.core.text import gettext_noop

CHAPTERS = (
    Chapter("T-1", gettext_noop("Board and armies")),
    Chapter("T-2", gettext_noop("Units")),
    Chapter("T-3", gettext_noop("Deployment")),
    Chapter("T-4", gettext_noop("Turns")),
    Chapter("T-5", gettext_noop("Formations")),
    Chapter("T-6", gettext_noop("Terrain and movement")),
    Chapter("T-7", gettext_noop("Infantry fire")),
    Chapter("T-8", gettext_noop("Artillery fire")),
    Chapter("T-9", gettext_noop("Melee")),
    Chapter("T-10", gettext_noop("Onslaught and stances")),
    Chapter("T-11", gettext_noop("Meeting engagement")),
    Chapter("T-12", gettext_noop("Retreat and victory")),
    Chapter("T-13", gettext_noop("Early rout")),
    Chapter("T-14", gettext_noop("Big battles")),
    Chapter("T-15", gettext_noop("Rulings in disputes")),
    Chapter("T-16", gettext_noop("Length of a battle and late rulings")),
)

# T-1 Board and armies

MAP = rule(
    "T-1.1",
    gettext_noop("The map"),
    gettext_noop(
        "The map has 16 columns, A to P from west to east, and 10 rows, 1 to 10 from north to south; the armies stand "
        "along its long sides. A cell holds one unit. "
        "A battle's own map may have any size from 4 by 4 to 40 by 40 and lie either way round; "
        "after column Z come AA, AB and so on."
    ),
    STATED,
    DEDUCED,
    HOUSE,
)
UNIT_LIMIT = rule(
    "T-1.2",
    gettext_noop("Number of units"),
    gettext_noop("Each side fields at most 10 units, of any kinds. A siege has no limit."),
    STATED,
    parameters=("unit_limit", "battle_kind"),
)
STRIPS = rule(
    "T-1.3",
    gettext_noop("Deployment strips and home edges"),
    gettext_noop(
        "Each side deploys in a strip two cells deep. The strips belong to the map: on the usual one the north side "
        "has rows 1 and 2 and faces south, the south side has rows 9 and 10 and faces north. "
        "The edge of the map along a side's strip is its home edge."
    ),
    STATED,
    HOUSE,
)
NEIGHBOURS = rule(
    "T-1.4",
    gettext_noop("Neighbouring cells"),
    gettext_noop(
        "Cells are neighbours if they share a side, so a cell has four; corners do not count, neither for movement "
        "nor for attacks. Every cell has exactly one terrain."
    ),
    HOUSE,
)
FACING = rule(
    "T-1.5",
    gettext_noop("Facing"),
    gettext_noop(
        "A unit faces north, east, south or west. Its right hand lies clockwise of its facing: "
        "to the east of a unit that faces north, to the west of one that faces south."
    ),
    HOUSE,
)
FIRST_MOVE = rule(
    "T-1.6",
    gettext_noop("Who moves first"),
    gettext_noop(
        "The attacker on the strategic map has the first turn. If neither side is marked as the attacker, "
        "a die decides: north on 1 to 3, south on 4 to 6."
    ),
    HOUSE,
)

# T-2 Units

KINDS = rule(
    "T-2.1",
    gettext_noop("Kinds of units"),
    gettext_noop(
        "Heavy infantry: firepower 2, range 2, melee 3, speed 2, 10 HP, scatters at 3.\n"
        "Light infantry: firepower 3, range 3, melee 1, speed 3, 10 HP, scatters at 3.\n"
        "Cuirassiers (heavy cavalry): melee 3, onslaught 3, speed 4, 6 HP, scatter at 2.\n"
        "Light cavalry: melee 2, onslaught 2, speed 5, 6 HP, scatters at 2.\n"
        "Foot artillery: roundshot 1 to 2, canister 2 to 4, range 8, speed 1, 2 HP.\n"
        "Horse artillery: roundshot ½ to 1, canister 2 to 4, range 6, speed 3, 2 HP.\n"
        "Hit points (HP) and losses are counted in whole and half points."
    ),
    STATED,
)
TRAITS = rule(
    "T-2.2",
    gettext_noop("Particular units and traits"),
    gettext_noop(
        "A battle may give a unit its own name and its own values, and traits: long range (3 cells in any formation), "
        "marsh (it may cross marsh), steadfast (it does not scatter), and another scatter threshold, "
        "as under a distinguished commander."
    ),
    STATED,
    HOUSE,
)
LOSSES = rule(
    "T-2.3",
    gettext_noop("Scattered and destroyed"),
    gettext_noop(
        "Infantry and cavalry are destroyed when fewer than 1 HP remain; otherwise they are scattered when the "
        "remaining HP are at or below their threshold: 3 for infantry, 2 for cavalry. A single loss that takes a unit "
        "from 4 HP to 0 destroys it. The check comes after all losses that fall at the same moment, never between "
        "them, and the log names the cause."
    ),
    STATED,
)
BATTERIES = rule(
    "T-2.4",
    gettext_noop("Batteries"),
    gettext_noop(
        "An artillery company has two batteries and 2 HP. Above 1 HP both batteries fire; at 1 HP or less one is left "
        "and its fire does half. At 0 HP the company is destroyed. Artillery never scatters."
    ),
    STATED,
    HOUSE,
)

# T-3 Deployment

DEPLOYMENT = rule(
    "T-3.1",
    gettext_noop("Deploying at the same time"),
    gettext_noop(
        "Both sides deploy at once and have one minute for it. Until deployment ends neither side learns anything of "
        "the other's placements, not even their number. Other orders wait for the first turn."
    ),
    STATED,
    parameters=("deployment_seconds",),
)
ABSENT = rule(
    "T-3.2",
    gettext_noop("Units not placed"),
    gettext_noop(
        "A unit that has not been placed when the time is up takes no part in the battle. It is absent: it is not "
        "lost, and the early rout does not count it."
    ),
    STATED,
)
PLACING = rule(
    "T-3.3",
    gettext_noop("Placing a unit"),
    gettext_noop(
        "A unit is placed in its own side's strip, on a free cell where it may stand, with a facing (away from the "
        "home edge, if none is named) and a formation (column, if none is named). A line needs both its cells in the "
        "strip. A placement may be changed or taken back until deployment ends. Each is saved at once, and the "
        "server's clock decides what is in time."
    ),
    HOUSE,
)
READY = rule(
    "T-3.4",
    gettext_noop("Ready"),
    gettext_noop(
        "When both sides are ready, deployment ends at once; until then a side may take its word back. "
        "After the end nothing can be placed. The moderator may stop the clock, add time or start it anew."
    ),
    HOUSE,
)
NOBODY_DEPLOYED = rule(
    "T-3.5",
    gettext_noop("A side without a unit"),
    gettext_noop(
        "If a side has placed no unit when the time is up, the battle waits for the moderator's word; "
        "it is not lost by that alone."
    ),
    HOUSE,
)

# T-4 Turns

ALTERNATION = rule(
    "T-4.1",
    gettext_noop("Sides take turns"),
    gettext_noop(
        "After deployment the sides move in turn. A turn belongs to one side, and the number of the turn goes up by "
        "one each time. A side's own turns are counted apart: its first, its second and so on."
    ),
    STATED,
)
TURN = rule(
    "T-4.2",
    gettext_noop("Course of a turn"),
    gettext_noop(
        "The side to move orders its units one at a time, in any order; each order is carried out at once and both "
        "sides see it. The turn ends when the side says so or its 300 seconds are up; a unit without an order stands. "
        "Then follow the exchanges of all melees, the early rout, the question of victory, and the other side's turn."
    ),
    HOUSE,
    parameters=("turn_seconds",),
)
SPEED = rule(
    "T-4.3",
    gettext_noop("Points of speed"),
    gettext_noop(
        "In each of its own turns a unit has as many points as its speed. Steps, changes of formation and some turns "
        "cost points. After each of them the points spent in this turn must not exceed the speed of the formation that "
        "the unit then has. A unit may move by several orders in one turn."
    ),
    HOUSE,
)
DONE = rule(
    "T-4.4",
    gettext_noop("After fire or attack"),
    gettext_noop(
        "A unit that has fired or attacked does nothing more in that turn. "
        "It may move first and fire then, once; artillery has narrower rules (T-8.2)."
    ),
    HOUSE,
)
WHOSE_TURN = rule(
    "T-4.5",
    gettext_noop("Who gives orders"),
    gettext_noop(
        "Only the side to move orders, and only its own units that are still on the field. "
        "Stances (T-10) and answers to a charge (T-11) are given by the other side too, at any time."
    ),
    HOUSE,
)
REFUSALS_RULE = rule(
    "T-4.6",
    gettext_noop("Refused orders"),
    gettext_noop(
        "A refused order changes nothing, and the refusal names the rule. If there are several reasons the first of "
        "this list is given: whose turn and whose unit it is; a general retreat; melee; having fired or attacked; "
        "reloading, having moved, no point left, a settlement around the guns; the target; the place; the aim. "
        "The cells of a path are checked one by one, all of them before anything moves."
    ),
    HOUSE,
)

# T-5 Formations

FORMATIONS = rule(
    "T-5.1",
    gettext_noop("Formations"),
    gettext_noop(
        "Heavy infantry stands in column, in line or in square, and each change costs one point. "
        "Light infantry, cavalry and artillery have no formations: they stand in open order."
    ),
    STATED,
)
COLUMN = rule(
    "T-5.2",
    gettext_noop("Column"),
    gettext_noop("A column has the values of the table, unchanged, and takes one cell."),
    STATED,
)
LINE = rule(
    "T-5.3",
    gettext_noop("Line"),
    gettext_noop(
        "A line has firepower +1, speed -1 and melee -1. It is two cells wide and one deep and fires in one direction. "
        "A turn of 90 degrees costs it one point."
    ),
    STATED,
)
SQUARE = rule(
    "T-5.4",
    gettext_noop("Square"),
    gettext_noop(
        "A square has speed 1 and melee +2, takes one cell and suffers no penalty from flank or rear. "
        "It never enters a wood and is not formed in one."
    ),
    STATED,
    HOUSE,
)
REFORMING = rule(
    "T-5.5",
    gettext_noop("Changing formation"),
    gettext_noop(
        "A line's position is its left cell, as it faces; its other cell is the one to the right. "
        "A unit on one cell forms line to the right (its own cell becomes the left one) or to the left (its own cell "
        "becomes the right one), with any facing. A line becomes a column or a square on either of its two cells. "
        "The cells needed must be on the map, passable, free, and for a line outside settlements. "
        "Forming and wheeling cost one point on any ground, but no cell may come onto a hill from other terrain, or "
        "into a dense wood, in this way. A line that becomes a column keeps its facing if no other is named."
    ),
    HOUSE,
)
LINE_MOVES = rule(
    "T-5.6",
    gettext_noop("How a line moves"),
    gettext_noop(
        "A line steps straight ahead or straight back and keeps its facing; both cells it comes to must be free and "
        "passable, and the dearer of the two is paid. It wheels on its inner end: to the right, the right cell stays "
        "and the left end swings forward; to the left, the other way round. The cell swung into must be free and "
        "passable; the cell passed over diagonally does not matter."
    ),
    HOUSE,
)
TURNING = rule(
    "T-5.7",
    gettext_noop("Turning"),
    gettext_noop(
        "Units other than lines and artillery turn freely, without points, and after a move they face the way of their "
        "last step. A square keeps the facing it had, to no effect; a change of formation may name another."
    ),
    HOUSE,
)
ARTILLERY_TURNS = rule(
    "T-5.8",
    gettext_noop("How artillery turns"),
    gettext_noop(
        "A turn of 90 degrees takes foot artillery its whole turn: nothing else comes before it or after it. "
        "Horse artillery pays one point for every 90 degrees. Artillery keeps its facing while it moves."
    ),
    STATED,
    HOUSE,
)
HELD_IN_MELEE = rule(
    "T-5.9",
    gettext_noop("Held in melee"),
    gettext_noop("A unit in melee does not move (except by T-9.5 and T-9.6), change formation, turn, fire or attack."),
    HOUSE,
)

# T-6 Terrain and movement

TERRAIN = rule(
    "T-6.1",
    gettext_noop("Terrain"),
    gettext_noop(
        "Open ground and crossings (a bridge or ford in a river): everyone enters, 1 point a step.\n"
        "Mountain, water and river: nobody enters.\n"
        "Marsh: only units with the marsh trait, 1 point.\n"
        "Sparse wood: neither artillery nor squares; 2 points, but a last single point is enough. "
        "Roundshot at a unit in it has a chance lower by 1.\n"
        "Dense wood: only infantry, not in square; it takes the whole speed, so only a unit that has spent nothing "
        "enters, and it has no point left then in any formation. Roundshot at a unit in it has chance 1, "
        "and no canister is fired at it.\n"
        "Hill: everyone; 2 points to climb from other terrain, and one point is not enough; foot artillery pays 1; "
        "from hill to hill 1. Artillery on it has range +2 and fires over heads and obstacles; infantry has range +1.\n"
        "Settlement: everyone but a line; 2 points, but a last single point is enough. No onslaught; artillery does "
        "not fire out of it; roundshot at a unit in it has a chance lower by 1.\n"
        "So a line or a square, with its speed of 1, cannot climb a hill."
    ),
    STATED,
    HOUSE,
)
STEP = rule(
    "T-6.2",
    gettext_noop("A step"),
    gettext_noop(
        "A step goes to a neighbouring cell that is on the map, passable for the unit and free of any unit; nobody "
        "passes through own units either. Standing next to an enemy has no effect by itself."
    ),
    HOUSE,
)
STEP_FACING = rule(
    "T-6.3",
    gettext_noop("Facing after a step"),
    gettext_noop("A step turns the unit the way it goes; lines, squares and artillery keep their facing."),
    HOUSE,
)

# T-7 Infantry fire

MUSKETRY = rule(
    "T-7.1",
    gettext_noop("Infantry fire"),
    gettext_noop(
        "Infantry fires ahead of its front and never misses: the target loses as many HP as the firepower of the unit "
        "that fires. A unit fires once in its own turn."
    ),
    STATED,
)
FIRE_ZONES = rule(
    "T-7.2",
    gettext_noop("Fire zones of infantry"),
    gettext_noop(
        "Column, square and open order have no direction of fire: they fire along their row and their column, to all "
        "four sides, as far as their range. A line fires only ahead, along the two files in front of its two cells. "
        "A campaign may give the zones other shapes."
    ),
    DEDUCED,
)
HILL_RANGE = rule(
    "T-7.3",
    gettext_noop("Infantry on a hill"),
    gettext_noop(
        "From a hill the range of infantry is 1 longer. Each file of a line is judged from its own cell: "
        "its hill, its obstacles, its range."
    ),
    STATED,
    HOUSE,
)
NO_EFFECT_ON_GUNS = rule(
    "T-7.4",
    gettext_noop("Infantry fire at artillery"),
    gettext_noop("The fire of infantry does artillery no harm, so such an order is refused."),
    STATED,
)
BLOCKING = rule(
    "T-7.5",
    gettext_noop("What blocks infantry fire"),
    gettext_noop(
        "Fire is blocked by any unit, and by mountain, wood of either sort, hill or settlement, on a cell strictly "
        "between the firing unit and its target. Firing out of such a cell or into it is allowed."
    ),
    HOUSE,
)
FIRE_INTO_MELEE = rule(
    "T-7.6",
    gettext_noop("Fire into a melee"),
    gettext_noop(
        "Neither infantry nor roundshot is aimed at a unit in melee, unless this is allowed for the battle. "
        "Canister may be (T-8.7)."
    ),
    HOUSE,
    parameters=("fire_into_melee",),
)

# T-8 Artillery fire

RELOADING = rule(
    "T-8.1",
    gettext_noop("Reloading"),
    gettext_noop(
        "Artillery fires once in two of its own turns: after a shot in one own turn, the next comes in the next but "
        "one."
    ),
    STATED,
)
MOVE_OR_FIRE = rule(
    "T-8.2",
    gettext_noop("Moving and firing"),
    gettext_noop(
        "In one turn foot artillery either moves or turns, or fires. Horse artillery may move and then fire if at "
        "least one point of its speed is left; once it has fired it does not move in that turn."
    ),
    STATED,
)
FIRE_SECTOR = rule(
    "T-8.3",
    gettext_noop("Sector of fire"),
    gettext_noop(
        "A cell that lies d rows ahead of the guns and x columns to the side is in their sector if d is at least 1 and "
        "at most the range, and x is at most d - 1. The distance is d."
    ),
    DEDUCED,
)
SHOT_TYPES = rule(
    "T-8.4",
    gettext_noop("Canister and roundshot"),
    gettext_noop(
        "Canister is fired at distances 1 and 2, roundshot from 3 to the range, which is 8 for foot and 6 for horse "
        "artillery. From a hill roundshot goes 2 further."
    ),
    DEDUCED,
    STATED,
)
ROUNDSHOT = rule(
    "T-8.5",
    gettext_noop("Chance of roundshot"),
    gettext_noop(
        "Roundshot hits with a chance in sixths; a chance of k is a hit on a die of 7 - k or more.\n"
        "Foot artillery: 5 at distance 3, 4 at 4 and 5, 3 at 6, 2 at 7, 1 at 8, and from a hill 1 at 9 and 10.\n"
        "Horse artillery: 4 at distance 3, 3 at 4 and 5, 2 at 6, and from a hill 1 at 7 and 8.\n"
        "At a target in a sparse wood or a settlement the chance is 1 lower, but at least 1. At a target in a dense "
        "wood it is always 1, and never canister: at distances 1 and 2 roundshot with chance 1 is fired instead."
    ),
    STATED,
    HOUSE,
)
ROUNDSHOT_DAMAGE = rule(
    "T-8.6",
    gettext_noop("Damage of roundshot"),
    gettext_noop(
        "A hit by foot artillery takes 2 HP with two batteries and 1 with one; a hit by horse artillery 1 HP and ½."
    ),
    STATED,
)
CANISTER = rule(
    "T-8.7",
    gettext_noop("Canister"),
    gettext_noop(
        "Canister never misses and takes 4 HP with two batteries, 2 with one, from every unit in its way. "
        "It sweeps the whole canister zone, the cell ahead and the three beyond it: friend or foe, in melee or not, "
        "every unit there takes the loss once, unless it is in a dense wood or behind an obstacle (T-8.10). "
        "A unit on two cells is hit if either of them is. The order names one enemy, and canister is fired if that "
        "enemy has an unobstructed cell outside dense wood at distance 1 or 2. "
        "If a friend would be hit, the order must say that this is accepted."
    ),
    STATED,
    HOUSE,
)
GUNS_HIT = rule(
    "T-8.8",
    gettext_noop("Losses of artillery"),
    gettext_noop(
        "A roundshot that hits artillery takes 1 HP, whatever its damage. "
        "Artillery that is attacked (T-9.1) is destroyed at once, without an exchange."
    ),
    STATED,
)
GUNS_FORBIDDEN = rule(
    "T-8.9",
    gettext_noop("What artillery cannot do"),
    gettext_noop("Artillery does not fire out of a settlement and does not attack."),
    STATED,
)
LINE_OF_FIRE = rule(
    "T-8.10",
    gettext_noop("Artillery's line of fire"),
    gettext_noop(
        "The line of fire runs straight from the middle of one cell to the middle of another. It is blocked by the "
        "terrain of T-7.5, and for roundshot by any unit, on a cell between the ends whose inside it crosses. "
        "Where it passes exactly through a corner, it is blocked only if both cells beside the corner block. "
        "From a hill nothing blocks roundshot."
    ),
    HOUSE,
    STATED,
)
AIM = rule(
    "T-8.11",
    gettext_noop("Aiming at a unit"),
    gettext_noop(
        "Roundshot is aimed at one enemy unit. A unit on two cells is aimed at through whichever of them is in the "
        "sector, is not blocked and gives the better chance, canister counting as chance 6. "
        "A unit never blocks the line of fire to itself."
    ),
    HOUSE,
)

# T-9 Melee

MELEE = rule(
    "T-9.1",
    gettext_noop("Attack and melee"),
    gettext_noop(
        "Enemies who run into each other are in melee. A unit attacks an enemy in a neighbouring cell, at the end of a "
        "move or from where it stands, for 0 points; a line attacks only straight ahead. Any infantry or cavalry that "
        "is not in melee may attack, except a square. The attacked unit is not asked, and the ground under it does "
        "not matter. An attacker that is neither a line nor a square faces the cell it attacks. "
        "At the end of every turn, of either side, each pair in melee fights one exchange."
    ),
    STATED,
    HOUSE,
    parameters=("square_attacks",),
)
EXCHANGE = rule(
    "T-9.2",
    gettext_noop("Exchange"),
    gettext_noop(
        "Two values are compared: melee with formation, with the penalty for flank or rear, and with onslaught. "
        "If they are equal, each unit loses 1 HP. Otherwise the stronger loses 1, "
        "and the weaker 1 and the difference."
    ),
    STATED,
)
OVERWHELMED = rule(
    "T-9.3",
    gettext_noop("Overwhelmed"),
    gettext_noop(
        "At a difference of 4 or more the weaker unit scatters, without a loss from this pair; a steadfast unit loses "
        "1 and the difference instead. The stronger loses nothing, or ½ HP, as the moderator sees fit: "
        "he is asked, and play goes on meanwhile."
    ),
    STATED,
    HOUSE,
    parameters=("overwhelm_loss",),
)
SIMULTANEOUS = rule(
    "T-9.4",
    gettext_noop("All exchanges at once"),
    gettext_noop(
        "The exchanges of one turn's end happen at the same moment: the values and HP are those before any of them. "
        "A unit in several melees fights an exchange in each and adds up its losses. "
        "Destroyed comes before scattered."
    ),
    HOUSE,
)
INFANTRY_STAYS = rule(
    "T-9.5",
    gettext_noop("Infantry does not leave melee"),
    gettext_noop(
        "Infantry does not leave a melee of its own will, only under a general retreat (T-12) or in a rout (T-13)."
    ),
    STATED,
)
CAVALRY_LEAVES = rule(
    "T-9.6",
    gettext_noop("Cavalry leaves melee"),
    gettext_noop(
        "Cavalry that is in melee with infantry only may leave it by a move in its own turn. It loses ½ HP before the "
        "first step (T-2.3 is checked; the move must be allowed), does not attack in that turn, and does not leave in "
        "the turn in which it attacked. In melee with cavalry it cannot leave."
    ),
    STATED,
)
ASPECT = rule(
    "T-9.7",
    gettext_noop("Flank and rear"),
    gettext_noop(
        "An attacker straight ahead of a cell of the attacked unit is at its front, straight behind at its rear, "
        "otherwise at its flank. Against that attacker the unit's melee is 1 lower from the flank and 2 lower from the "
        "rear, as things stand at the moment of the attack, and in the first exchange only. Then, if it survives and "
        "is neither a line nor a square, it turns to its attacker, provided that it is in melee with no other. An "
        "attacker on two cells is judged by the cell it attacks from. A line keeps the penalty. A square has none."
    ),
    HOUSE,
    STATED,
    parameters=("flank_penalty", "rear_penalty"),
)
NEVER_BELOW_ZERO = rule(
    "T-9.8",
    gettext_noop("Least value"),
    gettext_noop("A value in an exchange never falls below 0."),
    HOUSE,
)
MELEE_ENDS = rule(
    "T-9.9",
    gettext_noop("End of a melee"),
    gettext_noop("A melee ends when one of its two units is gone or leaves; the other stays where it is."),
    HOUSE,
)

# T-10 Onslaught and stances

ONSLAUGHT = rule(
    "T-10.1",
    gettext_noop("Onslaught"),
    gettext_noop(
        "Cavalry adds its onslaught to its melee in the first exchange if in this turn it entered at least two cells "
        "in an unbroken straight line and attacks in the same direction. What counts is the longest straight stretch "
        "of this turn's steps that ends in the attack, by however many orders, with nothing but these steps in "
        "between. The attacked cell is not counted."
    ),
    STATED,
    HOUSE,
)
NO_ONSLAUGHT = rule(
    "T-10.2",
    gettext_noop("No onslaught in settlements"),
    gettext_noop(
        "There is no onslaught if a cell of the straight run, the one it began from included, "
        "or the enemy's cell is a settlement."
    ),
    STATED,
)
DEFENSIVE_FIRE = rule(
    "T-10.3",
    gettext_noop("Defensive fire"),
    gettext_noop(
        "Cavalry that attacks infantry and has come through its fire zone in the same turn takes that infantry's fire "
        "first, if the infantry has been told to fire: the stance is on unless it is changed. The infantry fires once, "
        "before the attack counts, if it is not in melee already and a step of this turn entered its zone (T-7.2) at "
        "an unblocked cell; the loss is its firepower. This does not use up the shot of its own turn. A charger that "
        "is removed by the fire never makes contact. A battle may allow columns and open order to fire in this way "
        "only at what comes from their front."
    ),
    STATED,
    HOUSE,
    parameters=("defensive_fire_from",),
)
STANCES = rule(
    "T-10.4",
    gettext_noop("Stances"),
    gettext_noop(
        "A unit's owner may change its stances, defensive fire and answering charges, at any time. "
        "The enemy does not see them."
    ),
    HOUSE,
)

# T-11 Meeting engagement

MEETING = rule(
    "T-11.1",
    gettext_noop("Riding to meet a charge"),
    gettext_noop(
        "Standing cavalry that enemy cavalry attacks may answer and ride to meet it, if its player says so at once and "
        "unasked. Then both add their onslaught."
    ),
    STATED,
)
WHO_ANSWERS = rule(
    "T-11.2",
    gettext_noop("Who may answer"),
    gettext_noop(
        "Cavalry may answer that is not in melee and not in a settlement, whatever its facing, when the charge against "
        "it has onslaught. The player says so beforehand by the stance, which is off unless it is changed, or within "
        "20 seconds after the charge is announced. While the answer is open the charging side gives no other order and "
        "its clock stands still. Without an answer in time the stance decides."
    ),
    HOUSE,
    parameters=("answer_seconds",),
)
MEETING_PLACE = rule(
    "T-11.3",
    gettext_noop("Where they meet"),
    gettext_noop(
        "If the charge runs straight over k cells before the attack, the answering unit rides half of k, rounded down, "
        "turns to face the charger, and the charger stops in the cell before it. Cells that are impassable or occupied "
        "stop it sooner; if it cannot ride at all it still adds its onslaught. The ride costs neither points nor the "
        "turn, and there is no penalty for flank or rear. A side in general retreat does not answer."
    ),
    HOUSE,
)
UNANSWERED = rule(
    "T-11.4",
    gettext_noop("A charge without an answer"),
    gettext_noop("If the charge is not answered, only the attacker adds onslaught."),
    STATED,
)

# T-12 Retreat and victory

VICTORY = rule(
    "T-12.1",
    gettext_noop("Victory"),
    gettext_noop(
        "The army that makes the enemy leave the field wins: "
        "every enemy unit is destroyed, scattered or driven from it."
    ),
    STATED,
)
RETREAT = rule(
    "T-12.2",
    gettext_noop("General retreat"),
    gettext_noop(
        "A commander may order a general retreat. The battle is lost then and the order cannot be taken back, but the "
        "units must still reach the edge of the map. The order has to be confirmed. From then on the side's units may "
        "leave melee without a loss; they do not fire (defensive fire included), attack or answer charges; and no step "
        "may take them further, in rows or columns, from their home edge. A unit with a cell on the home edge leaves "
        "the map for one point and is withdrawn."
    ),
    STATED,
    HOUSE,
)
PURSUIT = rule(
    "T-12.3",
    gettext_noop("End of a retreat"),
    gettext_noop(
        "The battle ends when the retreating side has no unit on the field, or when the other side ends the pursuit. "
        "The units still there are then withdrawn, except those in melee: the moderator says whether they are "
        "captured, scattered or withdrawn."
    ),
    HOUSE,
)
JUDGED_AT_END = rule(
    "T-12.4",
    gettext_noop("When victory is judged"),
    gettext_noop(
        "Victory is judged only at the end of a turn. If no unit of either side is left then, or both sides are in "
        "retreat, the battle is a draw."
    ),
    HOUSE,
)
NO_LEAVING = rule(
    "T-12.5",
    gettext_noop("Leaving the map"),
    gettext_noop("A unit may leave the map only under a general retreat."),
    HOUSE,
)
STALEMATE = rule(
    "T-12.6",
    gettext_noop("Dead end and agreed draw"),
    gettext_noop(
        "When both sides have only artillery on the field, or when for 12 turns nobody has fired or attacked and there "
        "is no melee, the moderator is asked whether it is a draw, somebody's victory, or goes on; play does not stop "
        "for it. The sides may agree on a draw at any time; an offer lapses when the side that got it ends its turn, "
        "or when a side orders the general retreat."
    ),
    HOUSE,
    parameters=("quiet_turns",),
)

# T-13 Early rout

EARLY_ROUT = rule(
    "T-13.1",
    gettext_noop("Early rout"),
    gettext_noop(
        "If at the end of a turn one side has lost at most 25 per cent of its army and the other at least 50, the "
        "latter breaks and the battle is lost for it. Half of its remaining units count as scattered, the other half "
        "withdraw."
    ),
    STATED,
)
ROUT_CONDITIONS = rule(
    "T-13.2",
    gettext_noop("When an army may break"),
    gettext_noop(
        "Only a side that began with 4 units or more breaks, and never in a siege, "
        "nor once a side is in general retreat."
    ),
    STATED,
    HOUSE,
)
ROUT_WAIVED = rule(
    "T-13.3",
    gettext_noop("The moderator and the rout"),
    gettext_noop(
        "The moderator may let the battle go on in spite of a rout. "
        "A battle may be set so that a rout always waits for his word."
    ),
    STATED,
    HOUSE,
    parameters=("waive_rout", "rout_confirmation"),
)
ROUT_COUNT = rule(
    "T-13.4",
    gettext_noop("How the rout is counted"),
    gettext_noop(
        "Units are counted: lost are the destroyed and the scattered, out of those deployed. Of an odd number the "
        "larger half is scattered. Which units these are is decided by lot, and the log shows it; "
        "the moderator may choose them instead."
    ),
    HOUSE,
)

# T-14 Big battles

REDUCTION = rule(
    "T-14.1",
    gettext_noop("Armies above the limit"),
    gettext_noop(
        "Armies above the limit are cut in proportion: the larger to 10 units, the smaller to its share. "
        "30 against 15 becomes 10 against 5; 15 against 3 becomes 10 against 2. The factor f is the larger army "
        "divided by the limit; the smaller gets its number divided by f, an exact half rounded up, and at least 1."
    ),
    STATED,
    HOUSE,
    parameters=("unit_limit",),
)
WHICH_STAY = rule(
    "T-14.2",
    gettext_noop("Which units stay out"),
    gettext_noop(
        "Units that have a pair go first, the others by lot or as the moderator says. As long as a kind has two or "
        "more units left, one is taken from the kind that stands furthest above its share (its first number times the "
        "side's new total over its old one), ties by lot. When every kind has one unit left, single units go, by lot."
    ),
    STATED,
    HOUSE,
)
SCALED_LOSSES = rule(
    "T-14.3",
    gettext_noop("Losses on the strategic map"),
    gettext_noop(
        "Losses are multiplied back by f: if 30 units were cut to 10, then 3 destroyed and 2 scattered are reported as "
        "9 and 6. The report shows the exact product, and whole numbers, "
        "by the largest remainder, that add up to the size of the army."
    ),
    STATED,
    HOUSE,
)

# T-15 Rulings in disputes

MODERATOR = rule(
    "T-15.1",
    gettext_noop("The moderator's word"),
    gettext_noop(
        "The moderator settles disputes, and there is no appeal. A ruling may set anything (HP, place, facing, "
        "formation, dice, turn, clock, result) or rewind the battle. It stands in the log with its reason, "
        "and the players see both."
    ),
    STATED,
)

# T-16 Length of a battle and late rulings

TURN_LIMIT = rule(
    "T-16.1",
    gettext_noop("Limit of turns"),
    gettext_noop("A battle may be given a number of turns after which it ends without a winner. Usually it has none."),
    HOUSE,
    parameters=("turn_limit",),
)
OVERWHELM_RULING = rule(
    "T-16.2",
    gettext_noop("A late word on the stronger's loss"),
    gettext_noop(
        "The loss of the stronger unit by T-9.3 is taken at once, as the battle is set, and the moderator is asked in "
        "any case. His answer changes the HP by the difference when he gives it, and T-2.3 is checked then. "
        "If the battle ends without an answer, the loss stays as it was taken."
    ),
    HOUSE,
    parameters=("overwhelm_loss",),
)

RULES = (
    *(MAP, UNIT_LIMIT, STRIPS, NEIGHBOURS, FACING, FIRST_MOVE),
    *(KINDS, TRAITS, LOSSES, BATTERIES),
    *(DEPLOYMENT, ABSENT, PLACING, READY, NOBODY_DEPLOYED),
    *(ALTERNATION, TURN, SPEED, DONE, WHOSE_TURN, REFUSALS_RULE),
    *(FORMATIONS, COLUMN, LINE, SQUARE, REFORMING, LINE_MOVES, TURNING, ARTILLERY_TURNS, HELD_IN_MELEE),
    *(TERRAIN, STEP, STEP_FACING),
    *(MUSKETRY, FIRE_ZONES, HILL_RANGE, NO_EFFECT_ON_GUNS, BLOCKING, FIRE_INTO_MELEE),
    *(RELOADING, MOVE_OR_FIRE, FIRE_SECTOR, SHOT_TYPES, ROUNDSHOT, ROUNDSHOT_DAMAGE, CANISTER, GUNS_HIT),
    *(GUNS_FORBIDDEN, LINE_OF_FIRE, AIM),
    *(MELEE, EXCHANGE, OVERWHELMED, SIMULTANEOUS, INFANTRY_STAYS, CAVALRY_LEAVES, ASPECT, NEVER_BELOW_ZERO),
    MELEE_ENDS,
    *(ONSLAUGHT, NO_ONSLAUGHT, DEFENSIVE_FIRE, STANCES),
    *(MEETING, WHO_ANSWERS, MEETING_PLACE, UNANSWERED),
    *(VICTORY, RETREAT, PURSUIT, JUDGED_AT_END, NO_LEAVING, STALEMATE),
    *(EARLY_ROUT, ROUT_CONDITIONS, ROUT_WAIVED, ROUT_COUNT),
    *(REDUCTION, WHICH_STAY, SCALED_LOSSES),
    MODERATOR,
    *(TURN_LIMIT, OVERWHELM_RULING),
)

PARAMETERS = (
    Parameter(
        name="unit_limit",
        title=gettext_noop("Most units a side"),
        rule=UNIT_LIMIT.id,
        kind="integer",
        default=10,
        minimum=1,
        maximum=40,
    ),
    Parameter(
        name="battle_kind",
        title=gettext_noop("Kind of battle"),
        rule=UNIT_LIMIT.id,
        kind="choice",
        default="field",
        choices=(("field", gettext_noop("Battle in the field")), ("siege", gettext_noop("Siege"))),
    ),
    Parameter(
        name="deployment_seconds",
        title=gettext_noop("Time to deploy, seconds (0: no limit)"),
        rule=DEPLOYMENT.id,
        kind="integer",
        default=60,
        maximum=86400,
    ),
    Parameter(
        name="turn_seconds",
        title=gettext_noop("Time for a turn, seconds (0: no limit)"),
        rule=TURN.id,
        kind="integer",
        default=300,
        maximum=604800,
    ),
    Parameter(
        name="answer_seconds",
        title=gettext_noop("Time to answer a charge, seconds (0: by stance only)"),
        rule=WHO_ANSWERS.id,
        kind="integer",
        default=20,
        maximum=600,
    ),
    Parameter(
        name="fire_into_melee",
        title=gettext_noop("Infantry and roundshot may aim into a melee"),
        rule=FIRE_INTO_MELEE.id,
        kind="flag",
        default=False,
    ),
    Parameter(
        name="square_attacks",
        title=gettext_noop("A square may attack"),
        rule=MELEE.id,
        kind="flag",
        default=False,
    ),
    Parameter(
        name="overwhelm_loss",
        title=gettext_noop("Loss of the stronger at a difference of 4 or more, HP"),
        rule=OVERWHELMED.id,
        kind="halves",
        default=0,
        maximum=0.5,
    ),
    Parameter(
        name="flank_penalty",
        title=gettext_noop("Melee of a unit attacked from the flank"),
        rule=ASPECT.id,
        kind="integer",
        default=-1,
        minimum=-6,
    ),
    Parameter(
        name="rear_penalty",
        title=gettext_noop("Melee of a unit attacked from the rear"),
        rule=ASPECT.id,
        kind="integer",
        default=-2,
        minimum=-6,
    ),
    Parameter(
        name="defensive_fire_from",
        title=gettext_noop("Defensive fire of column and open order"),
        rule=DEFENSIVE_FIRE.id,
        kind="choice",
        default="any",
        choices=(("any", gettext_noop("To every side")), ("front", gettext_noop("Only to the front"))),
    ),
    Parameter(
        name="rout_confirmation",
        title=gettext_noop("An early rout waits for the moderator"),
        rule=ROUT_WAIVED.id,
        kind="flag",
        default=False,
    ),
    Parameter(
        name="quiet_turns",
        title=gettext_noop("Turns without fire or attack until the moderator is asked (0: never)"),
        rule=STALEMATE.id,
        kind="integer",
        default=12,
        maximum=100,
    ),
    Parameter(
        name="turn_limit",
        title=gettext_noop("Last turn (0: none)"),
        rule=TURN_LIMIT.id,
        kind="integer",
        default=0,
        maximum=1000,
    ),
    Parameter(
        name="waive_rout",
        title=gettext_noop("No early rout in this battle"),
        rule=ROUT_WAIVED.id,
        kind="flag",
        default=False,
    ),
)

# In the order of T-4.6, then the keys of single commands.
REFUSALS = (
    Refusal("battle_over", VICTORY.id, gettext_noop("The battle is over.")),
    Refusal(
        "not_deploying",
        DEPLOYMENT.id,
        gettext_noop("Deployment is under way: this order must wait for it to end."),
    ),
    Refusal("deployment_over", READY.id, gettext_noop("Deployment is over: nothing can be placed any more.")),
    Refusal("not_your_turn", WHOSE_TURN.id, gettext_noop("It is the other side's turn.")),
    Refusal("answer_pending", WHO_ANSWERS.id, gettext_noop("A charge awaits its answer: no other order until then.")),
    Refusal("no_such_unit", WHOSE_TURN.id, gettext_noop("There is no such unit in this battle.")),
    Refusal("not_your_unit", WHOSE_TURN.id, gettext_noop("%(unit)s belongs to the other side.")),
    Refusal("unit_gone", WHOSE_TURN.id, gettext_noop("%(unit)s is not on the field.")),
    Refusal(
        "retreat_is_final",
        RETREAT.id,
        gettext_noop("The general retreat cannot be taken back: no fire, no attack, no step away from the home edge."),
    ),
    Refusal("in_melee", HELD_IN_MELEE.id, gettext_noop("%(unit)s is in melee, or has left one this turn.")),
    Refusal(
        "locked_by_cavalry",
        CAVALRY_LEAVES.id,
        gettext_noop("%(unit)s is in melee with cavalry and cannot leave it."),
    ),
    Refusal("already_fired", DONE.id, gettext_noop("%(unit)s has fired and does nothing more this turn.")),
    Refusal("already_attacked", DONE.id, gettext_noop("%(unit)s has attacked and does nothing more this turn.")),
    Refusal(
        "reloading",
        RELOADING.id,
        gettext_noop("%(unit)s is reloading: it fires again in its side's own turn %(turn)s."),
    ),
    Refusal(
        "moved_this_turn",
        MOVE_OR_FIRE.id,
        gettext_noop("%(unit)s has moved or turned this turn; foot artillery does one thing a turn."),
    ),
    Refusal(
        "no_points_left",
        MOVE_OR_FIRE.id,
        gettext_noop("%(unit)s has no point left: horse artillery needs one to fire after a move."),
    ),
    Refusal(
        "no_fire_from_settlement",
        GUNS_FORBIDDEN.id,
        gettext_noop("%(unit)s stands in a settlement: artillery does not fire out of it."),
    ),
    Refusal("cannot_fire", KINDS.id, gettext_noop("%(unit)s has no firearms to fire with.")),
    Refusal(
        "artillery_cannot_attack",
        GUNS_FORBIDDEN.id,
        gettext_noop("%(unit)s is artillery: it fires, but does not attack."),
    ),
    Refusal("square_cannot_attack", MELEE.id, gettext_noop("%(unit)s is in square: a square does not attack.")),
    Refusal("friendly_target", MELEE.id, gettext_noop("%(target)s is on your own side.")),
    Refusal(
        "no_effect_on_artillery",
        NO_EFFECT_ON_GUNS.id,
        gettext_noop("%(target)s is artillery: infantry fire does it no harm."),
    ),
    Refusal("target_in_melee", FIRE_INTO_MELEE.id, gettext_noop("%(target)s is in melee and is not fired at.")),
    Refusal("bad_path", STEP.id, gettext_noop("The path is empty: name at least one cell to enter.")),
    Refusal("bad_cell", MAP.id, gettext_noop("%(cell)s is not a cell that this order can use.")),
    Refusal("off_map", STEP.id, gettext_noop("%(cell)s is not on the map.")),
    Refusal("outside_strip", PLACING.id, gettext_noop("%(cell)s lies outside your deployment strip.")),
    Refusal(
        "not_adjacent",
        STEP.id,
        gettext_noop("Only a neighbouring cell can be reached, across a side, not a corner."),
    ),
    Refusal(
        "line_goes_straight",
        LINE_MOVES.id,
        gettext_noop("%(unit)s is in line: it goes straight ahead or back, and attacks straight ahead."),
    ),
    Refusal("impassable", TERRAIN.id, gettext_noop("%(cell)s cannot be entered by this unit as it is formed.")),
    Refusal("occupied", STEP.id, gettext_noop("%(cell)s is occupied.")),
    Refusal("too_far", SPEED.id, gettext_noop("Too far: points needed %(needed)s, left %(left)s.")),
    Refusal("out_of_sector", FIRE_SECTOR.id, gettext_noop("%(target)s is outside the sector of fire.")),
    Refusal("out_of_zone", FIRE_ZONES.id, gettext_noop("%(target)s is outside the fire zone.")),
    Refusal(
        "out_of_range",
        FIRE_ZONES.id,
        gettext_noop("Out of range: distance %(distance)s, at most %(range)s."),
    ),
    Refusal(
        "line_of_fire_blocked",
        BLOCKING.id,
        gettext_noop("Something stands between: the line of fire is blocked."),
    ),
    Refusal(
        "friends_in_zone",
        CANISTER.id,
        gettext_noop("Canister would hit your own units too: accept that, or hold the fire."),
    ),
    Refusal("not_placed", PLACING.id, gettext_noop("%(unit)s has not been placed.")),
    Refusal("no_formations", FORMATIONS.id, gettext_noop("%(unit)s has no formations: only heavy infantry has.")),
    Refusal("same_formation", FORMATIONS.id, gettext_noop("%(unit)s has that formation already.")),
    Refusal("bad_formation", FORMATIONS.id, gettext_noop("%(unit)s cannot take that formation.")),
    Refusal("not_a_line", LINE_MOVES.id, gettext_noop("%(unit)s is not in line: only a line wheels.")),
    Refusal("line_must_wheel", LINE.id, gettext_noop("%(unit)s is in line: it turns by wheeling, for one point.")),
    Refusal("bad_stance", STANCES.id, gettext_noop("This unit has no such stance, or the stance no such setting.")),
    Refusal("nothing_to_answer", WHO_ANSWERS.id, gettext_noop("That question is not open, or not yours to answer.")),
    Refusal("bad_choice", WHO_ANSWERS.id, gettext_noop("The question does not offer this answer.")),
    Refusal(
        "nobody_retreats",
        PURSUIT.id,
        gettext_noop("The other side is not in general retreat: there is no pursuit."),
    ),
    Refusal(
        "confirm_retreat",
        RETREAT.id,
        gettext_noop("A general retreat loses the battle and cannot be taken back. Confirm the order."),
    ),
    Refusal(
        "no_retreat_ordered",
        NO_LEAVING.id,
        gettext_noop("%(unit)s may leave the map only under a general retreat."),
    ),
    Refusal("not_at_edge", RETREAT.id, gettext_noop("%(unit)s is not at its home edge yet.")),
)

BOOK = Rulebook(chapters=CHAPTERS, rules=RULES, parameters=PARAMETERS, refusals=REFUSALS)
