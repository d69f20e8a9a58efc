// SPDX-License-Identifier: Apache-2.0

/// The user of requests, whose stored responses, cookies and credentials are separate from those of
/// other users.
///
/// Use a stable name of the user, such as an account number; never a token, which changes and is a
/// secret. The name does not appear in logs and errors.
public struct Principal: Sendable, Hashable {
    /// The name of the user in the application.
    public let id: String

    /// Creates a principal.
    ///
    /// - Parameter id: The name of the user in the application.
    public init(_ id: String) {
        self.id = id
    }
}

extension Principal: CustomStringConvertible {
    /// A fixed text without the name, which is private.
    public var description: String { "Principal" }
}
