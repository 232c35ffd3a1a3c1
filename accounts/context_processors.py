"""What every page needs to know of the person's preferences."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from accounts.models import Language
from accounts.preferences import theme_for


def preferences(request: HttpRequest) -> dict[str, object]:
    """The colours, the colours that the switch leads to, and the other language."""
    theme = theme_for(request)
    language = get_language() or settings.LANGUAGE_CODE
    other = Language.ENGLISH if language.startswith("ru") else Language.RUSSIAN
    return {"theme": theme.value, "other_theme": theme.other.value, "other_language": other}
