"""Prints the rows of the orders, one on each line."""

import os
import sqlite3

file = os.path.join(os.environ["DATABASE_DIR"], "orders.db")
if os.path.exists(file):
    for row in sqlite3.connect(file).execute("SELECT customer, cents FROM orders ORDER BY rowid"):
        print(*row)
