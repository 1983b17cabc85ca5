"""Plots of models and results: each draws on given or new axes and returns them."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "audit": ["plot_audit", "plot_flagged_rows"],
        "autoencoder": ["plot_codes", "plot_loss_curve"],
        "bounds": ["plot_bayes_error_bounds", "plot_nn_error_bound"],
        "calibration": ["plot_calibration"],
        "confusion_matrix": ["plot_confusion_matrix"],
        "curse": ["plot_hubness", "plot_shell_fractions"],
        "dimension": ["plot_intrinsic_dimension", "plot_local_dimension"],
        "evidence": ["plot_evidence", "plot_feature_contributions"],
        "feature_selection": ["plot_redundancy", "plot_selection_path", "plot_univariate_scores"],
        "histogram": ["plot_histogram"],
        "kdtree": ["plot_kdtree"],
        "kernel_pca": ["plot_kernel_pca_contours", "plot_kernel_pca_scores"],
        "kmeans": [
            "plot_center_images",
            "plot_cluster_regions",
            "plot_criterion",
            "plot_n_clusters",
        ],
        "lda": ["plot_discriminants"],
        "learning_curve": ["plot_learning_curve"],
        "lsa": ["plot_documents_and_terms", "plot_precision_recall", "plot_term_contributions"],
        "mixture": ["plot_bic", "plot_em_iterations", "plot_mixture"],
        "neighbors": ["plot_decision_regions", "plot_k_curve", "plot_k_selection"],
        "partial_dependence": ["plot_partial_dependence"],
        "pca": [
            "plot_biplot",
            "plot_components",
            "plot_explained_variance",
            "plot_loadings",
            "plot_projections",
            "plot_reconstructions",
            "plot_scree",
            "plot_spectrum",
        ],
        "ranking": ["plot_ranking"],
        "rbf": ["plot_alpha_selection", "plot_fitted_curve", "plot_rbf_centers"],
        "residuals": ["plot_residuals"],
        "ridge": ["plot_coefficients"],
        "roc": ["plot_precision_recall_curves", "plot_roc_curves"],
        "scatter": ["plot_scatter"],
    },
)
