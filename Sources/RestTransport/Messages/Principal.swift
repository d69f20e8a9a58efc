// SPDX-License-Identifier: Apache-2.0

/// Whose requests these are: what keeps one user's answers, cookies and credentials from another's.
///
/// Anything that names a user for as long as the user is the same, such as an account number; never a
/// token, which changes and is a secret. The text appears in no log and no error.
public struct Principal: Sendable, Hashable {
    /// The name by which the application knows the user.
    public let id: String

    /// Makes a principal.
    ///
    /// - Parameter id: The name by which the application knows the user.
    public init(_ id: String) {
        self.id = id
    }
}

extension Principal: CustomStringConvertible {
    /// Fixed words, as the name is nobody else's business.
    public var description: String { "Principal" }
}
