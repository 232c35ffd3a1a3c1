"""The check of the catalogues."""

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest
from django.conf import settings

HEADER = r"""
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);\n"
"""
PLURAL = 'msgid "{n} hit"\nmsgid_plural "{n} hits"\nmsgstr[0] "a"\nmsgstr[1] "b"\n'
WANTED = {(None, "Melee", None): "here:1", (None, "{n} hit", "{n} hits"): "here:2"}


@pytest.fixture(scope="module")
def check() -> ModuleType:
    """The script as a module."""
    loader = SourceFileLoader("check_catalogue", str(Path(settings.BASE_DIR) / "bin" / "check-catalogue"))
    spec = importlib.util.spec_from_loader("check_catalogue", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_marks_of_the_engine_are_found(check: ModuleType) -> None:
    source = 'T = gettext_noop("Melee" " joined")\nS = ngettext_noop("{n} hit", "{n} hits")\nX = other("not this")\n'
    assert [key for _line, key in check.texts_of(source)] == [
        (None, "Melee joined", None),
        (None, "{n} hit", "{n} hits"),
    ]


def test_texts_of_code_and_templates_are_found(check: ModuleType) -> None:
    found = {singular: place for (_context, singular, _plural), place in check.texts().items()}
    assert found["Sign out"].startswith("templates/")
    assert found["Your profile is saved."].startswith("accounts/views.py:")
    assert any(text.startswith("Good day, %(name)s") for text in found)


@pytest.mark.parametrize(
    ("entries", "complaints"),
    [
        ('msgid "Melee"\nmsgstr "Рукопашная"\n\n' + PLURAL + 'msgstr[2] "c"\n', []),
        (PLURAL + 'msgstr[2] "c"\n', ["here:1: missing: 'Melee'"]),
        ('msgid "Melee"\nmsgstr ""\n\n' + PLURAL + 'msgstr[2] "c"\n', ["here:1: untranslated or fuzzy: 'Melee'"]),
        (
            '#, fuzzy\nmsgid "Melee"\nmsgstr "x"\n\n' + PLURAL + 'msgstr[2] "c"\n',
            ["here:1: untranslated or fuzzy: 'Melee'"],
        ),
        (
            'msgid "Melee"\nmsgstr "x"\n\n' + PLURAL + 'msgstr[2] ""\n',
            ["here:2: untranslated or fuzzy: '{n} hit'"],
        ),
        (
            'msgid "Melee"\nmsgstr "x"\n\nmsgid "{n} hit"\nmsgstr "a"\n',
            ["here:2: no plural forms: '{n} hit'"],
        ),
    ],
)
def test_what_a_catalogue_lacks_is_named(
    check: ModuleType, tmp_path: Path, entries: str, complaints: list[str]
) -> None:
    catalogue = tmp_path / "django.po"
    catalogue.write_text(f"{HEADER}\n{entries}", "utf-8")
    assert check.missing(catalogue, WANTED) == complaints
