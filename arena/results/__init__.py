"""What people read: tables, boards and reports."""
