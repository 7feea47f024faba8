"""Tables, boards, reports and pages that users read."""
