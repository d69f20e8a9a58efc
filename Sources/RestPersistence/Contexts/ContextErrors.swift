// SPDX-License-Identifier: Apache-2.0

/// The errors that a context keeps until it can throw them, as properties of objects cannot throw.
struct ContextErrors: ~Copyable {
    /// The first error of reading, which fetches and saves throw until the context is rolled back.
    private(set) var failure: PersistenceError?
    /// The error of an attribute that the next fetch or save throws.
    private var unreadable: PersistenceError?
    /// The attributes that could not be read, so that the error of each is thrown once.
    private var unreadableAttributes: Set<UnreadableAttribute> = []
    /// The errors of changes that the next save reports.
    var deferred: [ValidationError] = []

    /// Keeps an error of reading.
    mutating func note(_ error: PersistenceError) { failure = failure ?? error }

    /// Keeps an error for the next fetch or save, once for each attribute of an object.
    mutating func note(_ error: PersistenceError, of attribute: UnreadableAttribute) {
        guard unreadableAttributes.insert(attribute).inserted else { return }
        unreadable = unreadable ?? error
    }

    /// Throws the error that ends all fetches and saves.
    func throwFailure() throws(PersistenceError) {
        if let failure { throw failure }
    }

    /// Throws the error of reading that fetches and saves report.
    ///
    /// That of an attribute is thrown once, so that one bad row does not disable the context.
    mutating func throwReadingErrors() throws(PersistenceError) {
        try throwFailure()
        if let error = unreadable {
            unreadable = nil
            throw error
        }
    }
}

/// An attribute of an object whose stored value could not be read.
struct UnreadableAttribute: Hashable {
    let key: Int64
    let column: Int
}
