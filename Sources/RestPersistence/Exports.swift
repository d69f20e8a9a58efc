// SPDX-License-Identifier: Apache-2.0

// Programs that import RestPersistence use the models, requests, errors and commits of RestRows and the
// tokenizer of RestSearch as well. Every file of this target sees them, too. GRDB has a type of the name
// PersistenceError: the import of the one type is preferred to that of a module.
@_exported public import RestRows
@_exported public import RestSearch

@_exported public import struct RestRows.PersistenceError
