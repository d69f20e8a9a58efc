// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestInference
import TestSupport

/// Files of the shared corpus, with the facts that a person reads in them.
struct CorpusSample: Sendable {
    let name: String
    /// The paths in the corpus with the URLs of the responses; recorded exchanges have their own.
    let files: [(path: String, url: String)]
    let expected: String

    func inferred() throws -> InferredDefinition {
        var inference = DefinitionInference()
        for (path, url) in files {
            let document = try Document(parsing: Array(SharedFiles.data(path)))
            if url.isEmpty {
                for exchange in document.root.elements { try Self.observe(exchange, &inference) }
            } else {
                inference.observe(document, from: url)
            }
        }
        return inference.result()
    }

    private static func observe(_ exchange: Node, _ inference: inout DefinitionInference) throws {
        guard exchange["method"]?.string?.lowercased() == "get", exchange["status"]?.int64 == 200,
            let response = exchange["response"], response.kind == .array || response.kind == .object
        else { return }
        let fields = exchange["headers"]?.members.compactMap { name, value in
            value.string.map { HeaderField(name, $0) }
        }
        inference.observe(
            try Document(parsing: JSONWriter.compact.text(of: response)),
            from: "https://api.github.com" + (exchange["path"]?.string ?? ""), fields: fields ?? [])
    }

    static let all: [CorpusSample] = [
        CorpusSample(
            name: "Star Wars fixtures",
            files: ["films", "people", "planets", "species", "starships", "transport", "vehicles"]
                .map {
                    ("corpus/swapi/\($0).json", "https://swapi.example/\($0)")
                },
            expected: """
                entity Film pk
                entity Person pk
                entity Planet pk
                entity Species pk
                entity Starship pk
                entity Transport pk
                entity Vehicle pk
                relation Film.characters many Person
                relation Film.planets many Planet
                relation Film.species many Species
                relation Film.starships many Starship
                relation Film.vehicles many Vehicle
                relation Person.homeworld one Planet
                relation Species.homeworld one Planet
                relation Species.people many Person
                relation Starship.pilots many Person
                relation Vehicle.pilots many Person
                type Film.pk integer
                type Film.title text
                type Film.created date
                type Film.release_date day
                type Film.episode_id integer
                type Person.height text
                type Planet.population text
                type Starship.hyperdrive_rating text
                records films $
                records people $
                records planets $
                records species $
                records starships $
                records transport $
                records vehicles $
                """),
        CorpusSample(
            name: "GitHub events",
            files: [("corpus/github_events.json", "https://api.github.com/events")],
            expected: """
                entity Event id
                entity User id
                entity Repo id
                entity Commit sha
                entity Issue id
                entity Comment id
                entity Page sha
                relation Event.actor one User
                relation Event.org one User
                relation Event.repo one Repo
                relation Event.payload_commits many Commit
                relation Event.payload_head one Commit
                relation Event.payload_forkee one Repo
                relation Event.payload_issue one Issue
                relation Event.payload_comment one Comment
                relation Event.payload_pages many Page
                relation Repo.owner one User
                relation Issue.user one User
                relation Issue.assignee one User
                relation Comment.user one User
                relation Comment.issue one Issue
                type Event.id text
                type Event.created_at date
                type Event.public boolean
                type Event.payload_size integer
                type User.id integer
                type User.avatar_url url
                type User.following_url url
                type Commit.message text
                type Issue.created_at date
                records events $
                """),
        CorpusSample(
            name: "Tweets",
            files: [("corpus/twitter.json", "https://api.twitter.com/1.1/search/tweets.json")],
            expected: """
                entity Tweet id
                entity User id
                entity Media id
                entity TweetHashtag -
                entity TweetUrl -
                entity UserUrl -
                entity UserUrl_2 -
                relation Tweet.user one User
                relation Tweet.retweeted_status one Tweet
                relation Tweet.in_reply_to_user one User
                relation Tweet.entities_user_mentions many User
                relation Tweet.entities_hashtags many TweetHashtag
                relation Tweet.entities_urls many TweetUrl
                relation Tweet.entities_media many Media
                relation User.entities_description_urls many UserUrl
                relation User.entities_url_urls many UserUrl_2
                type Tweet.id integer
                type Tweet.id_str text
                type Tweet.text text
                type Tweet.created_at text
                type Tweet.retweet_count integer
                type Tweet.in_reply_to_status_id integer
                type Tweet.place auto
                type User.followers_count integer
                type User.profile_image_url url
                type User.verified boolean
                type User.utc_offset integer
                page tweets json_link search_metadata.next_results
                records tweets statuses
                """),
        CorpusSample(
            name: "Catalogue",
            files: [("corpus/citm_catalog.json", "https://api.example.com/citm_catalog")],
            expected: """
                entity Performance id
                entity Event id
                entity PerformancePrice -
                entity PerformanceSeatCategory -
                entity PerformanceSeatCategoryArea -
                relation Performance.event one Event
                relation Performance.prices many PerformancePrice
                relation Performance.seatCategories many PerformanceSeatCategory
                relation PerformanceSeatCategory.areas many PerformanceSeatCategoryArea
                type Performance.start integer
                type Performance.venueCode text
                type PerformancePrice.amount integer
                type Event.name text
                type Event.topicIds json
                type PerformanceSeatCategoryArea.blockIds json
                records citm_catalog performances
                records citm_catalog_events events
                """),
        CorpusSample(
            name: "Map",
            files: [("corpus/canada.json", "https://maps.example.com/countries")],
            expected: """
                entity Country -
                type Country.type text
                type Country.properties_name text
                type Country.geometry_type text
                type Country.geometry_coordinates json
                records countries features
                """),
        CorpusSample(
            name: "Generated articles",
            files: [("corpus/rest100.json", "https://api.example.com/articles?per_page=100")],
            expected: """
                entity Article id
                entity Author id
                entity Comment id
                relation Article.author one Author
                relation Article.comments many Comment
                relation Comment.author one Author
                type Article.id integer
                type Article.slug text
                type Article.published boolean
                type Article.created_at date
                type Article.updated_at date
                type Article.price double
                type Article.tags json
                type Article.category_id integer
                type Author.avatar_url url
                type Comment.likes integer
                page articles json_link links.next
                records articles data
                """),
        CorpusSample(
            name: "Recorded GitHub",
            files: [
                "add-and-remove-repository-collaborator", "get-repository", "labels",
                "paginate-issues",
                "release-assets", "search-issues",
            ].map { ("recorded/github/\($0).json", "") },
            expected: """
                entity Invitation id
                entity Repository id
                entity User id
                entity Organization id
                entity Label id
                entity Issue id
                entity Release id
                entity Asset id
                relation Invitation.repository one Repository
                relation Invitation.invitee one User
                relation Invitation.inviter one User
                relation Repository.owner one Organization
                relation Repository.organization one Organization
                relation Issue.user one User
                relation Release.author one User
                relation Asset.uploader one User
                type Issue.id integer
                type Issue.created_at date
                type Issue.labels_url text
                type Issue.milestone auto
                type Label.default boolean
                type Label.color text
                type User.login text
                page issues header_link
                page issues_2 single_page
                page hello_world single_page
                page releases single_page
                records invitations $
                records collaborators $
                records hello_world $
                records labels $
                records issues $
                records issues_2 items
                records releases $
                records assets $
                """),
    ]
}
