// SPDX-License-Identifier: Apache-2.0

/// The location of a secret, which is never a part of a definition.
public enum Secret: Sendable, Hashable, CustomStringConvertible {
    /// A variable of the environment.
    case environment(String)
    /// The first line of a file; a relative path is relative to the folder of the definition.
    case file(String)

    /// The location of the secret, as definitions write it.
    public var description: String {
        switch self {
        case .environment(let name): "$" + name
        case .file(let path): "file " + path
        }
    }
}
