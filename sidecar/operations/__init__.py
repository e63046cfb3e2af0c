"""Operations: the doctor, purges, the status and the report on the state."""
