// SPDX-License-Identifier: Apache-2.0

/// A condition on the words of an object's searchable attributes.
///
/// ```swift
/// try context.fetch(Article.self, where: { $0.matches(.all("fjord oslo") && !.any("ferry")) })
/// ```
///
/// The words of a query are split and folded as those of the objects, so that `CAFE` finds `Café`, and
/// stop words have no effect. A word finds all words that begin with it, unless `wholeWords` is `true`.
public struct SearchPredicate: Sendable, Hashable {
    indirect enum Term: Sendable, Hashable {
        case words(String, isConjunction: Bool, wholeWords: Bool, [String])
        case phrase(String, [String])
        case and(Term, Term)
        case or(Term, Term)
        case not(Term)
    }

    let term: Term

    /// Returns a predicate that matches objects with every word of a text.
    ///
    /// A text without words matches all objects.
    ///
    /// - Parameters:
    ///   - text: The words, in any order.
    ///   - wholeWords: A Boolean value that indicates whether a longer word that begins with a word of
    ///     the text does not match.
    ///   - attributes: The attributes to search; empty for all searchable attributes of the entity.
    /// - Returns: The predicate.
    public static func all(
        _ text: String, wholeWords: Bool = false, in attributes: [String] = []
    ) -> SearchPredicate {
        SearchPredicate(
            term: .words(text, isConjunction: true, wholeWords: wholeWords, attributes))
    }

    /// Returns a predicate that matches objects with at least one word of a text.
    ///
    /// A text without words matches no object. The parameters are those of ``all(_:wholeWords:in:)``.
    public static func any(
        _ text: String, wholeWords: Bool = false, in attributes: [String] = []
    ) -> SearchPredicate {
        SearchPredicate(
            term: .words(text, isConjunction: false, wholeWords: wholeWords, attributes))
    }

    /// Returns a predicate that matches objects with the words of a text one after the other.
    ///
    /// A text without words matches all objects.
    public static func phrase(_ text: String, in attributes: [String] = []) -> SearchPredicate {
        SearchPredicate(term: .phrase(text, attributes))
    }

    /// Returns a predicate that matches if both predicates match.
    public static func && (left: SearchPredicate, right: SearchPredicate) -> SearchPredicate {
        SearchPredicate(term: .and(left.term, right.term))
    }

    /// Returns a predicate that matches if at least one of the predicates matches.
    public static func || (left: SearchPredicate, right: SearchPredicate) -> SearchPredicate {
        SearchPredicate(term: .or(left.term, right.term))
    }

    /// Returns a predicate that matches if the given one does not.
    public static prefix func ! (predicate: SearchPredicate) -> SearchPredicate {
        SearchPredicate(term: .not(predicate.term))
    }
}

extension FetchPredicate {
    /// Returns a predicate that matches objects by the words of their searchable attributes.
    ///
    /// - Parameters:
    ///   - predicate: The condition on the words.
    ///   - path: The dotted path of relationships to the object with the words; empty for the object of
    ///     the request.
    /// - Returns: The predicate.
    public static func search(_ predicate: SearchPredicate, at path: String = "") -> FetchPredicate
    {
        FetchPredicate(
            term: .search(path.isEmpty ? FetchPath(names: []) : FetchPath(path), predicate))
    }
}
