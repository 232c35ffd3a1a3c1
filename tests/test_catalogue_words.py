"""What the engine says stands in the Russian catalogue: its books, its refusals, and every sentence of its logs."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from re import findall
from typing import Any

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po
from django.conf import settings

from rules.core.rulebook import Parameter
from rules.registry import RULESETS
from rules.tactical import narration
from rules.tactical.units import FORMATION_TITLES, KINDS, TERRAINS

CATALOGUE = Path(settings.BASE_DIR) / "locale" / "ru" / "LC_MESSAGES" / "django.po"
MARKS = {"gettext_noop": (1,), "ngettext_noop": (1, 2)}
TABLES = ("PARTS", "CAUSES", "REMOVED", "QUESTIONS", "CLOSED", "ENDED", "FIELDS", "STANCES", "ASPECTS")


@pytest.fixture(scope="module")
def russian() -> Catalog:
    """The catalogue as it is kept in the repository."""
    with CATALOGUE.open("rb") as file:
        return read_po(file)


def strings(words: Any) -> tuple[str, ...]:
    """The forms of a message's text or of its translation."""
    return (words,) if isinstance(words, str) else tuple(filter(None, words or ()))


def forms(catalogue: Catalog, text: str) -> tuple[str, ...]:
    """All Russian forms of a text; none if it isn't there, is doubtful or lacks a form."""
    message = catalogue.get(text)
    if message is None or message.fuzzy or not message.string:
        return ()
    return strings(message.string) if all(message.string) else ()


def missing(catalogue: Catalog, texts: Iterable[str]) -> list[str]:
    """Those of the texts that have no Russian."""
    return [text for text in texts if not forms(catalogue, text)]


def texts_in(table: Any) -> Iterator[str]:
    """Every text of a table, however its values nest."""
    if isinstance(table, str):
        yield table
    else:
        for each in table.values() if isinstance(table, Mapping) else table:
            yield from texts_in(each)


def narrated() -> Iterator[tuple[str, ...]]:
    """Every text marked in the module that tells events; with its plural if it has one."""
    with Path(narration.__file__).open("rb") as file:
        for _line, message, _comments, _context in extract("python", file, MARKS):
            yield strings(message)


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_each_chapter_and_rule_has_its_russian_title_and_text(russian: Catalog, ruleset: str) -> None:
    book = RULESETS[ruleset].book
    assert not missing(russian, (chapter.title for chapter in book.chapters))
    assert not missing(russian, (text for rule in book.rules.values() for text in (rule.title, rule.text)))


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_each_refusal_speaks_russian(russian: Catalog, ruleset: str) -> None:
    assert not missing(russian, (refusal.text for refusal in RULESETS[ruleset].book.refusals.values()))


def words_of(parameter: Parameter) -> Iterator[str]:
    """The title of a parameter and those of its choices."""
    yield parameter.title
    yield from (title for _name, title in parameter.choices)


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_each_parameter_has_its_russian_title(russian: Catalog, ruleset: str) -> None:
    parameters = RULESETS[ruleset].book.parameters.values()
    assert not missing(russian, (text for parameter in parameters for text in words_of(parameter)))


def test_each_sentence_of_the_log_is_there_in_russian(russian: Catalog) -> None:
    texts = list(narrated())
    assert len(texts) > 100
    assert not missing(russian, (text[0] for text in texts))


def test_a_sentence_with_a_plural_has_every_russian_form(russian: Catalog) -> None:
    plurals = [text for text in narrated() if len(text) > 1]
    assert plurals
    assert {len(forms(russian, text[0])) for text in plurals} == {russian.num_plurals}


@pytest.mark.parametrize("table", TABLES)
def test_each_table_of_the_narration_is_there_in_russian(russian: Catalog, table: str) -> None:
    texts = list(texts_in(getattr(narration, table)))
    assert texts and not missing(russian, texts)


def test_kinds_formations_grounds_and_facings_are_there_in_russian(russian: Catalog) -> None:
    assert not missing(russian, (kind.title for kind in KINDS.values()))
    assert not missing(russian, (ground.title for ground in TERRAINS.values()))
    assert not missing(russian, (*FORMATION_TITLES.values(), *narration.FACING_TITLES))


def test_a_translation_names_no_figure_that_its_text_lacks(russian: Catalog) -> None:
    figures = r"%\(\w+\)s|\{\w*\}"
    for message in russian:
        known, said = (set(findall(figures, " ".join(strings(words)))) for words in (message.id, message.string))
        assert said <= known, message.id


def test_the_catalogue_holds_nothing_doubtful_or_obsolete(russian: Catalog) -> None:
    assert not russian.fuzzy and not russian.obsolete
    assert not [message.id for message in russian if message.fuzzy or message.locations]
