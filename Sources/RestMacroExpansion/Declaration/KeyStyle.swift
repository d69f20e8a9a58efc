// SPDX-License-Identifier: Apache-2.0

#if Macros
/// The style of keys in documents, with the cases of the library's type of the same name.
enum KeyStyle: String, CaseIterable {
    case asDeclared
    case snakeCase
    case kebabCase
    case pascalCase

    /// Returns the key of a property.
    func key(of name: String) -> String {
        let words = Self.words(of: name)
        return switch self {
        case .asDeclared: name
        case .snakeCase: words.map { $0.lowercased() }.joined(separator: "_")
        case .kebabCase: words.map { $0.lowercased() }.joined(separator: "-")
        case .pascalCase: words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        }
    }

    /// Returns the key of a property as a literal, or `nil` if it is the property's name.
    func literal(for name: String) -> String? {
        let key = key(of: name)
        return key == name ? nil : "\"\(key)\""
    }

    /// Splits a name before an uppercase letter that follows a lowercase letter or digit, and before
    /// the last of several uppercase letters.
    private static func words(of name: String) -> [Substring] {
        var words: [Substring] = []
        var start = name.startIndex
        for index in name.indices.dropFirst() {
            let next = name.index(after: index)
            let followsLowercase = !name[name.index(before: index)].isUppercase
            let precedesLowercase = next < name.endIndex && name[next].isLowercase
            if name[index].isUppercase, followsLowercase || precedesLowercase {
                words.append(name[start..<index])
                start = index
            }
        }
        return words + [name[start...]]
    }
}
#endif
