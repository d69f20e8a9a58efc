// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import RestNetworking
import RestPersistence
import RestTransport

/// The version of the model and of the mappings that import a response.
///
/// A collection that another version imported is not confirmed as unchanged, because a response with
/// the same bytes would now give other rows.
enum MappingVersion {
    /// Returns the digest of the model, of the mappings of descriptors, and of a text by the caller.
    static func digest(
        of descriptors: [ResponseDescriptor], model: String, text: String
    ) -> String {
        var parts = [model, text]
        for descriptor in descriptors {
            parts.append("\(descriptor.keyPath)")
            parts.append(descriptor.plan?.description ?? "")
            parts.append(descriptor.plan?.conversionText ?? "")
            if let mapping = descriptor.mapping as? EntityMapping {
                parts.append(mapping.mode.rawValue)
                parts += mapping.rules.sorted { $0.key < $1.key }.flatMap { entity, rules in
                    [entity] + Self.parts(of: rules)
                }
            }
        }
        // Length prefixes keep different lists from having the same bytes.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return SHA256.hexadecimalDigest(of: Array(text.utf8))
    }

    /// Returns the rules as texts, without predicates, which have no text.
    private static func parts(of rules: EntityRules) -> [String] {
        [
            rules.identification.map { "by \($0)" } ?? "",
            "\(rules.infersIdentification)", rules.modificationAttribute ?? "",
            "\(rules.mapsRelationshipsOfUnmodified)", "\(rules.insertsAllObjects)",
            rules.connections.map(\.ruleText).joined(separator: "; "),
            "\(rules.missingDestinations.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })",
        ]
    }
}
