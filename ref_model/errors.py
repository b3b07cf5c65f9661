"""The one exception that means "the input is wrong, not the program"."""


class UserError(Exception):
    """Wrong input of a user: one clear line saying what is wrong, where, and what is allowed.

    Commands turn it into that line and exit code 2; it never shows a traceback.
    """
