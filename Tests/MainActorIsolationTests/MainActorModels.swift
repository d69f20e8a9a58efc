// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import RestKit

// The models of an application target, in which declarations are isolated to the main actor by
// default.

@Mapped struct Article {
    let id: Int
    var title: String
    @MappedKey("publication_date") var publishedAt: Date?
    var author: Author?
    var tags: [String] = []
    @MappedIgnored var isSelected = false
}

@Mapped nonisolated struct Author {
    var name: String
    var follower: [Author] = []
}

@Mapped nonisolated final class Feed {
    let title: String
    var articles: [Article] = []
}

@Entity final class Airport: ManagedObject {
    @Identity var code: String
    var name: String
    @Inverse(\Terminal.airport) var terminals: Set<Terminal>
}

@Entity nonisolated final class Terminal: ManagedObject {
    @Identity var id: Int
    var airport: Airport?
}
#endif
