"""Never answers one decision, but reads on."""

from talk import talk

talk(lambda message: None)
